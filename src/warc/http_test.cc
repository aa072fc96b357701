#include "warc/http.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <tuple>
#include <vector>

namespace uzushio {
namespace {

int StatusOf(const std::string& message) {
  HttpResponse response;
  return ParseHttpResponse(message, &response) ? response.status : -1;
}

TEST(ParseHttpResponse, ReadsOddStatusLinesAsBrowsersDo) {
  for (const char* line : {"HTTP/1.1 200 OK", "HTTP/2 200", "HTTP/1.1 200", "http/1.0 200 ok", "HTTP/1.1  200  OK",
                           "\r\nHTTP/1.1 200 OK", "xyHTTP/1.1 200 OK"}) {
    EXPECT_EQ(StatusOf(std::string(line) + "\r\nA: b\r\n\r\nbody"), 200) << line;
    EXPECT_EQ(StatusOf(std::string(line) + "\nA: b\n\nbody"), 200) << line;
  }
  for (const char* line : {"", "GET / HTTP/1.1", "HTTP/1.1 OK", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1", "<html>"}) {
    EXPECT_EQ(StatusOf(std::string(line) + "\r\n\r\n"), -1) << line;
  }
}

TEST(ParseHttpResponse, FindsHeadersAndBody) {
  HttpResponse response;
  ASSERT_TRUE(
      ParseHttpResponse("HTTP/1.1 404 No\r\nA:1\r\n b: folded\r\nnonsense\r\nC :  2 \n\r\nbody\r\n\r\n", &response));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.Get("a"), "1");
  EXPECT_EQ(response.headers.Get("c"), "2");
  EXPECT_FALSE(response.headers.Find("b"));
  EXPECT_EQ(response.body, "body\r\n\r\n");
}

std::string Deflated(const std::string& data, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, data.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::pair<BodyOutcome, std::string> Decode(const std::string& headers, const std::string& body, size_t max = 1 << 20) {
  const std::string message = "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body;
  HttpResponse response;
  EXPECT_TRUE(ParseHttpResponse(message, &response));
  std::string buffer;
  std::string_view decoded;
  const BodyOutcome outcome = DecodeBody(response, {max, 100}, &buffer, &decoded);
  return {outcome, std::string(decoded)};
}

using Decoded = std::pair<BodyOutcome, std::string>;
const std::string kPage = "<html>page</html>";

TEST(DecodeBody, UndoesCodings) {
  const Decoded expected{BodyOutcome::kOk, kPage};
  EXPECT_EQ(Decode("", kPage), expected);
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\n", Deflated(kPage, 31)), expected);
  EXPECT_EQ(Decode("Content-Encoding: identity, x-gzip\r\n", Deflated(kPage, 31)), expected);
  EXPECT_EQ(Decode("Content-Encoding: deflate\r\n", Deflated(kPage, 15)), expected);
  EXPECT_EQ(Decode("Content-Encoding: deflate\r\n", Deflated(kPage, -15)), expected);
  EXPECT_EQ(Decode("Content-Encoding: deflate, gzip\r\n", Deflated(Deflated(kPage, 15), 31)), expected);
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\n", Deflated("<html>pa", 31) + Deflated("ge</html>", 31)), expected);
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "6;x=y\r\n<html>\r\nb\r\npage</html>\r\n0\r\n\r\n"), expected);
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "6\n<html>\nB\npage</html>\n"), expected);
}

TEST(DecodeBody, DoesNotBelieveLyingHeaders) {
  const Decoded expected{BodyOutcome::kOk, kPage};
  for (const char* coding : {"gzip", "deflate", "br", "zstd", "unknown"}) {
    EXPECT_EQ(Decode("Content-Encoding: " + std::string(coding) + "\r\n", kPage), expected) << coding;
  }
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", kPage), expected);
}

TEST(DecodeBody, TellsDamageFromSize) {
  const std::string page = Deflated(kPage, 31);
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\n", page.substr(0, page.size() - 9)).first, BodyOutcome::kDamaged);
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "6\r\n<html>\r\nff\r\npa").first, BodyOutcome::kDamaged);
  const std::string bomb = Deflated(std::string(size_t{8} << 20, 'x'), 31);
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\n", bomb).first, BodyOutcome::kTooLarge);
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\n", bomb, size_t{64} << 20).first, BodyOutcome::kInflated);
  EXPECT_EQ(Decode("", std::string(2000, 'x'), 1000).first, BodyOutcome::kTooLarge);
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "5\r\nabcde\r\nffffffff\r\n", 1000).first, BodyOutcome::kDamaged);
}

TEST(ClassifyMedia, ByTypeOrBySniffing) {
  const std::vector<std::tuple<const char*, const char*, MediaType>> cases = {
      {"text/html", "", MediaType::kHtml},
      {"TEXT/HTML ; charset=x", "x", MediaType::kHtml},
      {"application/xhtml+xml", "x", MediaType::kHtml},
      {"text/plain", "x", MediaType::kText},
      {"text/plain", "<!DOCTYPE html><p>", MediaType::kHtml},
      {"text/plain", "<p>not sniffed", MediaType::kText},
      {"", "  <HTML>", MediaType::kHtml},
      {"", "\xEF\xBB\xBF<body class=x>", MediaType::kHtml},
      {"", "<bodyguard>", MediaType::kText},
      {"", "plain text", MediaType::kText},
      {"", std::string_view("GIF89a\0x").data(), MediaType::kText},
      {"", "PK\x03\x04", MediaType::kOther},
      {"application/octet-stream", "<!-- x -->", MediaType::kHtml},
      {"application/octet-stream", "text", MediaType::kOther},
      {"application/octet-stream", "<?xml version='1.0'?><html xmlns='x'>", MediaType::kHtml},
      {"*/*", "<p>x", MediaType::kHtml},
      {"image/png", "<html>", MediaType::kOther},
      {"application/json", "{}", MediaType::kOther},
      {"text/css", "p {}", MediaType::kOther}};
  for (const auto& [type, body, expected] : cases)
    EXPECT_EQ(ClassifyMedia(type, body), expected) << type << " " << body;
}

TEST(CharsetParameter, FromAnyForm) {
  const std::vector<std::pair<const char*, const char*>> cases = {{"text/html; charset=utf-8", "utf-8"},
                                                                  {"text/html;Charset = \"EUC-JP\" ;x=y", "EUC-JP"},
                                                                  {"text/html; x=y; charset='a'", "a"},
                                                                  {"text/html; charset=", ""},
                                                                  {"text/html; notcharset=x", ""},
                                                                  {"charset=x", ""},
                                                                  {"", ""}};
  for (const auto& [type, expected] : cases) EXPECT_EQ(CharsetParameter(type), expected) << type;
}

}  // namespace
}  // namespace uzushio
