#include "warc/http.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "base/test_support.h"

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

std::pair<BodyOutcome, std::string> Decode(const std::string& headers, const std::string& body, size_t max = 1 << 20) {
  const std::string message = "HTTP/1.1 200 OK\r\n" + headers + "\r\n" + body;
  HttpResponse response;
  EXPECT_TRUE(ParseHttpResponse(message, &response));
  std::string buffer;
  std::string_view decoded;
  const BodyOutcome outcome = DecodeBody(response, {max, 100}, &buffer, &decoded);
  return {outcome, std::string(decoded)};
}

std::string ZstdOf(const std::string& data) {
  std::string out(ZSTD_compressBound(data.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), data.data(), data.size(), 3));
  return out;
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
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "6\n<html>\nB\npage</html>\n0\n\n"), expected);
}

TEST(DecodeBody, UndoesCodingsOfEveryHeader) {
  const Decoded expected{BodyOutcome::kOk, kPage};
  const std::string zipped = Deflated(kPage, 31);
  std::array<char, 20> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", zipped.size());
  const std::string chunked = size.data() + zipped + "\r\n0\r\n\r\n";
  EXPECT_EQ(Decode("Transfer-Encoding: gzip, chunked\r\n", chunked), expected);
  EXPECT_EQ(Decode("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", chunked), expected);
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked\r\n", chunked), expected);
  EXPECT_EQ(Decode("Content-Encoding: deflate\r\nContent-Encoding: gzip\r\n", Deflated(Deflated(kPage, 15), 31)),
            expected);
  EXPECT_EQ(Decode("Content-Encoding: identity\r\nContent-Encoding: gzip\r\n", zipped), expected);
}

TEST(DecodeBody, WhatArrivedOfABodyThatEndsEarly) {
  const std::string page = "<html>" + Repeat("the page ", 1000);
  const std::string chunks = "6\r\n<html>\r\nff\r\npa";
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", chunks), (Decoded{BodyOutcome::kTruncated, "<html>pa"}));
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "6\r\n<html>\r\n2"), (Decoded{BodyOutcome::kTruncated, "<html>"}));
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "6\r\n<html>\r\n"), (Decoded{BodyOutcome::kTruncated, "<html>"}));
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "1f40\r\n<html>pa"),
            (Decoded{BodyOutcome::kTruncated, "<html>pa"}));
  const std::vector<std::pair<const char*, std::string>> coded = {{"gzip", Deflated(page, 31)},
                                                                  {"deflate", Deflated(page, 15)},
                                                                  {"deflate", Deflated(page, -15)},
                                                                  {"zstd", ZstdOf(page)}};
  for (const auto& [coding, body] : coded) {
    for (const size_t missing : {size_t{1}, size_t{5}, size_t{9}}) {
      const auto [outcome, text] =
          Decode("Content-Encoding: " + std::string(coding) + "\r\n", body.substr(0, body.size() - missing));
      if (outcome == BodyOutcome::kDamaged) {  // zstd gives whole blocks alone
        EXPECT_STREQ(coding, "zstd");
        continue;
      }
      EXPECT_EQ(outcome, BodyOutcome::kTruncated) << coding << missing;
      EXPECT_TRUE(page.starts_with(text)) << coding << missing;
      EXPECT_GT(text.size(), 5U) << coding << missing;
    }
  }
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
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\n", page.substr(0, 10)).first, BodyOutcome::kDamaged);  // nothing arrived
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "6\r\n<html>\r\nnot a size\r\n").first, BodyOutcome::kDamaged);
  const std::string bomb = Deflated(std::string(size_t{8} << 20, 'x'), 31);
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\n", bomb).first, BodyOutcome::kTooLarge);
  EXPECT_EQ(Decode("Content-Encoding: gzip\r\n", bomb, size_t{64} << 20).first, BodyOutcome::kInflated);
  EXPECT_EQ(Decode("", std::string(2000, 'x'), 1000).first, BodyOutcome::kTooLarge);
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "5\r\nabcde\r\nffffffff\r\n", 1000),
            (Decoded{BodyOutcome::kTruncated, "abcde"}));
}

TEST(ClassifyMedia, ByTypeOrBySniffing) {
  const std::vector<std::tuple<const char*, const char*, MediaType>> cases = {
      {"text/html", "", MediaType::kHtml},
      {"TEXT/HTML", "x", MediaType::kHtml},
      {"application/xml", "<?xml version='1.0'?>\n<!DOCTYPE html>\n<html xmlns='x'>", MediaType::kHtml},
      {"application/xml", "<!DOCTYPE html PUBLIC 'x'><html>", MediaType::kHtml},
      {"text/xml", "<html xmlns='x'>", MediaType::kHtml},
      {"text/xml", "<?xml version='1.0'?><rss></rss>", MediaType::kOther},
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

TEST(ParseContentType, FromAnyForm) {
  const std::vector<std::pair<const char*, ContentType>> cases = {
      {"text/html; charset=utf-8", {"text/html", "utf-8"}},
      {"text/html;Charset = \"EUC-JP\" ;x=y", {"text/html", "EUC-JP"}},
      {"text/html; x=y; charset='a'", {"text/html", "a"}},
      {"text/html charset=utf-8", {"text/html", "utf-8"}},
      {"text/html\tCHARSET=utf-8;x", {"text/html", "utf-8"}},
      {" Text/HTML ; charset=x", {"Text/HTML", "x"}},
      {"text/html; charset=", {"text/html", ""}},
      {"text/html; charset", {"text/html", ""}},
      {"text/html; charset charset=x", {"text/html", "x"}},
      {"text/html; notcharset=x", {"text/html", ""}},
      {"text/html; x=\"a;charset=no\\\"; charset=no\"; charset=b", {"text/html", "b"}},
      {"text/html; x=\"; charset=no", {"text/html", ""}},
      {"charset=x", {"charset=x", ""}},
      {"", {"", ""}}};
  for (const auto& [value, expected] : cases) EXPECT_EQ(ParseContentType(value), expected) << value;
}

// As browsers take it, of which web-platform-tests has many cases (fetch/content-type).
TEST(ContentTypeOf, TheLastThatSaysSomethingOfAll) {
  const std::vector<std::pair<std::vector<const char*>, ContentType>> cases = {
      {{}, {"", ""}},
      {{"text/html; charset=gbk", "text/html"}, {"text/html", "gbk"}},
      {{"text/html; charset=gbk, text/html"}, {"text/html", "gbk"}},
      {{"text/html; charset=gbk", "text/plain", "text/html"}, {"text/html", ""}},
      {{"text/plain", "text/html; charset=x"}, {"text/html", "x"}},
      {{"text/html;x=\",text/plain\";charset=y"}, {"text/html", "y"}},
      {{"text/html;x=\"\\\",text/plain\";charset=y"}, {"text/html", "y"}},
      {{"text/html", "*/*"}, {"text/html", ""}},
      {{"text/html", "nonsense", ""}, {"text/html", ""}},
      {{"*/*"}, {"", ""}}};
  for (const auto& [values, expected] : cases) {
    std::string lines;
    for (const char* value : values) lines += "content-TYPE: " + std::string(value) + "\r\n";
    Headers headers;
    headers.Parse(lines);
    EXPECT_EQ(ContentTypeOf(headers), expected) << lines;
  }
}

TEST(ParseHttpResponse, NeverFailsOnAnyBytes) {
  EXPECT_TRUE(rc::check([] {
    const std::string message = *rc::gen::elementOf(std::vector<std::string>{"", "HTTP/1.1 200 OK\n", "HTTP/1.1"}) +
                                *rc::gen::arbitrary<std::string>();
    HttpResponse response;
    if (ParseHttpResponse(message, &response)) {
      RC_ASSERT(response.status >= 100 && response.status <= 999);
      RC_ASSERT(message.ends_with(response.body));
    }
  }));
}

TEST(ParseHttpResponse, HeadersWithoutAnEndHaveNoBody) {
  HttpResponse response;
  ASSERT_TRUE(ParseHttpResponse("HTTP/1.1 200 OK\r\nA: b\r\n", &response));
  EXPECT_EQ(response.headers.Get("A"), "b");
  EXPECT_EQ(response.body, "");
  ASSERT_TRUE(ParseHttpResponse("HTTP/1.1 200 OK\r\n\r\nA: b\r\n\r\n", &response));
  EXPECT_FALSE(response.headers.Find("A"));
  EXPECT_EQ(response.body, "A: b\r\n\r\n");
}

// The page by brotli's encoder, which the program does not link; and 8 MiB of x.
const std::string kBrotliPage("\x0b\x08\x80<html>page</html>\x03");
const std::string kBrotliBomb("\x9b\xff\xff\x7f\x00\x24\xf0\xe2\xb1\x40\x72\xef\xff\x00", 14);

TEST(DecodeBody, UndoesBrotliAndZstd) {
  const Decoded expected{BodyOutcome::kOk, kPage};
  EXPECT_EQ(Decode("Content-Encoding: br\r\n", kBrotliPage), expected);
  EXPECT_EQ(Decode("Content-Encoding: zstd\r\n", ZstdOf(kPage)), expected);
  EXPECT_EQ(Decode("Content-Encoding: gzip, br\r\n", kBrotliPage), expected);  // gzip is a lie
  EXPECT_EQ(Decode("content-encoding: BR\r\ntransfer-encoding: Chunked\r\n", "15\r\n" + kBrotliPage + "\r\n0\r\n"),
            expected);
}

TEST(DecodeBody, AFalseChecksumLosesNothing) {
  for (const size_t words : {size_t{1}, size_t{100}, size_t{7'000}, size_t{60'000}}) {
    std::string page = "<html>";
    for (size_t i = 0; i < words; ++i) page += std::to_string(i * i) + " ";
    for (const size_t from_end : {size_t{8}, size_t{6}, size_t{2}}) {  // of the checksum, twice, and of the length
      std::string gzip = Deflated(page, 31);
      gzip[gzip.size() - from_end] ^= 1;
      EXPECT_TRUE(Decode("Content-Encoding: gzip\r\n", gzip) == (Decoded{BodyOutcome::kFalseChecksum, page}))
          << words << " " << from_end;
    }
    std::string zlib = Deflated(page, 15);
    zlib.back() ^= 1;
    EXPECT_TRUE(Decode("Content-Encoding: deflate\r\n", zlib) == (Decoded{BodyOutcome::kFalseChecksum, page})) << words;
  }
  std::string inside = Deflated(kPage, 31);
  inside[inside.size() - 6] ^= 1;
  EXPECT_EQ(Decode("Content-Encoding: gzip, gzip\r\n", Deflated(inside, 31)),
            (Decoded{BodyOutcome::kFalseChecksum, kPage}));
}

TEST(DecodeBody, EveryCodingIsBounded) {
  const std::string zeros(size_t{8} << 20, 'x');
  const std::vector<std::pair<const char*, std::string>> bombs = {{"gzip", Deflated(zeros, 31)},
                                                                  {"deflate", Deflated(zeros, 15)},
                                                                  {"deflate", Deflated(zeros, -15)},
                                                                  {"br", kBrotliBomb},
                                                                  {"zstd", ZstdOf(zeros)}};
  for (const auto& [coding, body] : bombs) {
    const std::string header = "Content-Encoding: " + std::string(coding) + "\r\n";
    EXPECT_EQ(Decode(header, body).first, BodyOutcome::kTooLarge) << coding;
    EXPECT_EQ(Decode(header, body, size_t{64} << 20).first, BodyOutcome::kInflated) << coding;
  }
  const std::string twice = Deflated(Deflated(zeros, 31), 31);
  EXPECT_NE(Decode("Content-Encoding: gzip, gzip\r\n", twice, size_t{64} << 20).first, BodyOutcome::kOk);
}

TEST(DecodeBody, ABodyOfExactlyTheCapIsFine) {
  const std::string page(1000, 'x');
  for (const auto& [header, body] : std::vector<std::pair<std::string, std::string>>{
           {"", page},
           {"Content-Encoding: gzip\r\n", Deflated(page, 31)},
           {"Transfer-Encoding: chunked\r\n", "3e8\r\n" + page + "\r\n0\r\n\r\n"}}) {
    EXPECT_EQ(Decode(header, body, 1000), (Decoded{BodyOutcome::kOk, page})) << header;
    EXPECT_EQ(Decode(header, body, 999).first, BodyOutcome::kTooLarge) << header;
  }
}

TEST(DecodeBody, EmptyBodiesAreEmptyWhateverTheHeadersSay) {
  for (const char* coding : {"gzip", "deflate", "br", "zstd"}) {
    EXPECT_EQ(Decode("Content-Encoding: " + std::string(coding) + "\r\n", ""), (Decoded{BodyOutcome::kOk, ""}))
        << coding;
  }
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", ""), (Decoded{BodyOutcome::kOk, ""}));
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), (Decoded{BodyOutcome::kOk, ""}));
}

TEST(DecodeBody, PlainTextIsNotTakenForItsCoding) {
  const std::string text = "Plain text, which no server has compressed.\n";
  for (const char* coding : {"gzip", "deflate", "br", "zstd"}) {
    EXPECT_EQ(Decode("Content-Encoding: " + std::string(coding) + "\r\n", text), (Decoded{BodyOutcome::kOk, text}))
        << coding;
  }
}

TEST(DecodeBody, TrailersAndBytesBehindTheLastChunkAreDropped) {
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "11\r\n" + kPage + "\r\n0\r\nX-Trailer: y\r\n\r\nmore"),
            (Decoded{BodyOutcome::kOk, kPage}));
  EXPECT_EQ(Decode("Transfer-Encoding: chunked\r\n", "11  \r\n" + kPage + "\r\n0\r\n\r\n"),
            (Decoded{BodyOutcome::kOk, kPage}));
}

TEST(DecodeBody, HugeChunkSizesDoNotOverflow) {
  for (const char* size : {"ffffffffffffffff", "fffffffffffffffff", "7fffffffffffffff"}) {
    EXPECT_NE(Decode("Transfer-Encoding: chunked\r\n", "5\r\nabcde\r\n" + std::string(size) + "\r\nx").first,
              BodyOutcome::kOk)
        << size;
  }
}

// Chunks of any sizes around any coding come apart again.
TEST(DecodeBody, RoundTrip) {
  EXPECT_TRUE(rc::check([] {
    const std::string page = "<html>" + *rc::gen::arbitrary<std::string>();
    const auto coding = *rc::gen::inRange(0, 5);
    std::string body = page;
    std::string headers;
    if (coding == 1) body = Deflated(page, 31), headers = "Content-Encoding: gzip\r\n";
    if (coding == 2) body = Deflated(page, 15), headers = "Content-Encoding: deflate\r\n";
    if (coding == 3) body = Deflated(page, -15), headers = "Content-Encoding: deflate\r\n";
    if (coding == 4) body = ZstdOf(page), headers = "Content-Encoding: zstd\r\n";
    if (*rc::gen::arbitrary<bool>()) {
      std::string chunks;
      for (size_t at = 0; at < body.size();) {
        const std::string chunk = body.substr(at, *rc::gen::inRange<size_t>(1, 300));
        std::array<char, 20> size{};
        std::snprintf(size.data(), size.size(), "%zX\r\n", chunk.size());
        chunks += size.data() + chunk + "\r\n";
        at += chunk.size();
      }
      body = chunks + "0\r\n\r\n";
      headers += "Transfer-Encoding: chunked\r\n";
    }
    RC_ASSERT(Decode(headers, body) == (Decoded{BodyOutcome::kOk, page}));
  }));
}

TEST(DecodeBody, AnyBytesAreRead) {
  EXPECT_TRUE(rc::check([] {
    const auto coding = *rc::gen::elementOf(std::vector<std::string>{"gzip", "deflate", "br", "zstd", "gzip, deflate"});
    const auto start =
        *rc::gen::elementOf(std::vector<std::string>{"", "\x1f\x8b\x08", "\x78\x9c", "\x28\xb5\x2f\xfd", "3\r\n"});
    Decode("Content-Encoding: " + coding + "\r\nTransfer-Encoding: chunked\r\n",
           start + *rc::gen::arbitrary<std::string>());
  }));
}

TEST(DecodeBody, ZstdHasFrameAfterFrame) {
  EXPECT_EQ(Decode("Content-Encoding: zstd\r\n", ZstdOf("one ") + ZstdOf("two")),
            (Decoded{BodyOutcome::kOk, "one two"}));
}

// RFC 9659: no decoder of HTTP has to hold more than 8 MiB.
TEST(DecodeBody, ZstdWindowsAreBounded) {
  const std::string body("\x28\xb5\x2f\xfd\x00\x68\x29\x00\x00page!", 14);  // 8 MiB, a block of 5 bytes as they are
  EXPECT_EQ(Decode("Content-Encoding: zstd\r\n", body, size_t{1} << 20),
            std::pair(BodyOutcome::kOk, std::string("page!")));
  std::string wide = body;
  wide[5] = '\x69';
  EXPECT_EQ(Decode("Content-Encoding: zstd\r\n", wide, size_t{1} << 20).first, BodyOutcome::kTooWide);
}

}  // namespace
}  // namespace uzushio
