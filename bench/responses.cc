// What the program makes of what servers declare, for comparison with other readers. Inputs and answers are framed
// (bench/framed.h).
//
//   bench_responses values FILE.warc.gz   of each response of the archive, in turn: the value of Content-Type, and the
//                                         first bytes of its body
//   bench_responses types                 of each value: its type, a line end, its charset
//   bench_responses bodies                of each response: `ok`, `truncated` or `refused`, a line end, the body
//   bench_responses declared              of each page: the charset that it declares
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "framed.h"
#include "html/charset.h"
#include "pages.h"
#include "warc/http.h"

namespace {

constexpr size_t kMostOfBody = size_t{16} << 10;

arrow::Status Values(const char* path) {
  return uzushio_bench::ForEachResponse(path, [](const uzushio::HttpResponse& response, std::string_view body) {
    uzushio_bench::WriteFramed(response.headers.Get("Content-Type"));
    uzushio_bench::WriteFramed(body.substr(0, kMostOfBody));
  });
}

std::string TypeOf(const std::string& value) {
  const uzushio::ContentType type = uzushio::ParseContentType(value);
  return std::string(type.essence) + '\n' + std::string(type.charset);
}

std::string BodyOf(const std::string& message) {
  uzushio::HttpResponse response;
  if (!uzushio::ParseHttpResponse(message, &response)) return "refused\n";
  std::string buffer;
  std::string_view body;
  switch (uzushio::DecodeBody(response, {size_t{8} << 20, 1000}, &buffer, &body)) {
    case uzushio::BodyOutcome::kOk:
      return "ok\n" + std::string(body);
    case uzushio::BodyOutcome::kTruncated:
      return "truncated\n" + std::string(body);
    default:
      return "refused\n";
  }
}

int AnswerEach(const std::function<std::string(const std::string&)>& answer) {
  std::string bytes;
  while (uzushio_bench::ReadFramed(&bytes)) uzushio_bench::WriteFramed(answer(bytes));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "values" && argc == 3) {
    const arrow::Status read = Values(argv[2]);
    if (!read.ok()) std::fprintf(stderr, "bench_responses: %s\n", read.ToString().c_str());
    return read.ok() ? 0 : 1;
  }
  if (what == "types") return AnswerEach(TypeOf);
  if (what == "bodies") return AnswerEach(BodyOf);
  if (what == "declared") {
    return AnswerEach([](const std::string& page) { return std::string(uzushio::SniffMetaCharset(page)); });
  }
  std::fprintf(stderr, "bench_responses values FILE | types | bodies | declared\n");
  return 1;
}
