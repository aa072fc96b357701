// HTTP responses against plain second implementations: what a body was cut into chunks from comes out again, and the
// type and charset of a Content-Type that was put together are those it was put together from. Any bytes are read.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bytes.h"
#include "warc/http.h"

namespace {

std::string Chunked(std::string_view body, uzushio_fuzz::Chance* chance) {
  std::string out;
  while (!body.empty()) {
    const size_t length = 1 + chance->Below(std::min<size_t>(body.size(), 300));
    char size[32];
    std::snprintf(size, sizeof size, chance->OneIn(2) ? "%zX" : "%04zx", length);
    out += std::string(size) + (chance->OneIn(5) ? ";name=\"value\"" : "") + "\r\n";
    out += std::string(body.substr(0, length)) + "\r\n";
    body.remove_prefix(length);
  }
  return out + "0\r\n" + (chance->OneIn(4) ? "Trailer: x\r\n" : "") + "\r\n";
}

void CheckChunks(std::string_view body, uzushio_fuzz::Chance* chance) {
  const std::string message = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunked(body, chance);
  uzushio::HttpResponse response;
  uzushio_fuzz::Check(uzushio::ParseHttpResponse(message, &response) && response.status == 200);
  std::string buffer;
  std::string_view decoded;
  const auto outcome = uzushio::DecodeBody(response, {.max_bytes = 1 << 20, .max_inflation = 100}, &buffer, &decoded);
  uzushio_fuzz::Check(outcome == uzushio::BodyOutcome::kOk && decoded == body);
}

// A token of RFC 9110 (section 5.6.2), made of bytes.
std::string Token(std::string_view bytes, size_t most) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-+._";
  std::string token;
  for (const char c : bytes.substr(0, most)) token += kLetters[static_cast<unsigned char>(c) % kLetters.size()];
  return token.empty() ? "x" : token;
}

void CheckType(std::string_view bytes, uzushio_fuzz::Chance* chance) {
  const std::string essence = Token(bytes, 8) + "/" + Token(bytes.substr(bytes.size() / 3), 12);
  const std::string charset = Token(bytes.substr(bytes.size() / 2), 10);
  const auto blank = [chance] { return chance->OneIn(3) ? " " : ""; };
  std::string value = blank() + essence + blank();
  if (chance->OneIn(3)) value += std::string(";") + blank() + "boundary=\"a;charset=no\\\"\"" + blank();
  value += std::string(";") + blank() + (chance->OneIn(2) ? "charset=" : "ChArSeT=");
  value += chance->OneIn(2) ? charset : "\"" + charset + "\"";
  if (chance->OneIn(3)) value += std::string(blank()) + ";" + blank() + "charset=second";
  const uzushio::ContentType type = uzushio::ParseContentType(value);
  if (type.essence != essence || type.charset != charset) {
    std::fprintf(stderr, "%s: %s, %s\n", value.c_str(), std::string(type.essence).c_str(),
                 std::string(type.charset).c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const std::string_view bytes = uzushio_fuzz::View(data + 4, size - 4);
  uzushio_fuzz::Chance chance(data[0] | data[1] << 8 | data[2] << 16);
  CheckChunks(bytes, &chance);
  CheckType(bytes, &chance);
  uzushio::ParseContentType(bytes);
  uzushio::HttpResponse response;
  if (!uzushio::ParseHttpResponse(bytes, &response)) return 0;
  std::string buffer;
  std::string_view body;
  const auto outcome = uzushio::DecodeBody(response, {.max_bytes = 1 << 16, .max_inflation = 100}, &buffer, &body);
  if (outcome == uzushio::BodyOutcome::kOk) uzushio_fuzz::Check(body.size() <= 1 << 16);
  uzushio::ClassifyMedia(uzushio::ContentTypeOf(response.headers).essence, body);
  return 0;
}
