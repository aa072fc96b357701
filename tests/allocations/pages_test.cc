// Pages to documents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "allocations/failing_allocations.h"
#include "base/test_support.h"
#include "stages/extract/page_extractor.h"
#include "warc/archive_test_support.h"

namespace uzushio {
namespace {

// Of everything that extraction has a part for.
const std::string kBody = R"(<!DOCTYPE html><html lang=ja prefix="og: http://ogp.me/ns#">
<head><title>日本語の題 | サイト</title><meta name=robots content=noarchive>
<meta name=description content="要約です。"><meta property=og:type content=article>
<link rel=license href="https://creativecommons.org/licenses/by/4.0/">
<script type="application/ld+json">{"@type": "Article", "license": "https://creativecommons.org/licenses/by/4.0/",
"headline": "題", "articleBody": "ここには、やさしい日本語の文章があります。"}</script>
<style>p { color: red }</style></head>
<body><nav><ul><li><a href=/>トップ</a><li><a href=/a>記事の一覧</a></ul></nav>
<main><h1 id=t class="a b">日本語の題<a href="#t">¶</a></h1>
<p>ここには、<ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby>と<b>太字<i>と</b>斜体</i>の文章があります。10<sup>6</sup>です。
それは<code>x = 1</code>と、<img alt="★">と、<span style="display:none">見えない</span>文章です。</p>
<pre class="language-c">int main() {
    return 0;

}</pre>
<ol start=3><li>一つ目<ul><li>中の項目</ul><li value=9>二つ目</ol>
<dl><dt>語<dd>意味の説明です。</dl>
<table><tr><th>列<th>値<tr><td rowspan=2>あ<td>い<tr><td>う<table><tr><td>中</table></table>
<blockquote><p>引用された文章です。</p></blockquote>
<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>
</main><footer><p>Copyright</footer>)";

std::string Response(const std::string& headers, const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/html" + headers + "\r\n\r\n" + body;
}

std::string Chunked(const std::string& body) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", body.size());
  return size + body + "\r\n0\r\n\r\n";
}

// Fields, each behind its length.
class Bytes {
 public:
  Bytes& operator<<(std::string_view field) {
    bytes_.append(std::to_string(field.size())).append(":").append(field);
    return *this;
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// What becomes of the page; it is a document.
std::string Extracted(PageExtractor* extractor, const std::string& content) {
  PageView page;
  page.header = "WARC/1.0\r\nWARC-Type: response\r\nX: y\r\n";
  page.content = content;
  page.record_id = "<urn:uuid:12345678-1234-4000-8000-123456789012>";
  page.url = "http://example.jp/a?b=%E3%81%82";
  page.date = "2024-01-02T03:04:05Z";
  page.warc = "a.warc.gz";
  Document document;
  FullData full;
  const PageOutcome outcome = extractor->Extract(page, &document, &full);
  Bytes bytes;
  bytes << std::to_string(static_cast<int>(outcome.kind)) << outcome.reason << document.doc_id << document.url
        << document.title << document.charset << document.language << document.text << document.date << document.robots
        << document.license << full.body;
  for (const auto* fields : {&full.warc_headers, &full.http_headers, &full.metadata}) {
    for (const NamedValue& field : *fields) bytes << field.name << field.value;
  }
  if (outcome.kind != PageOutcome::Kind::kDocument) return "no document: " + std::string(outcome.reason);
  return bytes.Take();
}

void ExpectDocument(const ExtractOptions& options, const std::string& content) {
  PageExtractor extractor(options);
  EXPECT_THAT(Extracted(&extractor, content), testing::Not(testing::StartsWith("no document")));
  FailEachAllocation([&] { return Extracted(&extractor, content); });
  // An extractor for each.
  const auto failures = FailEachAllocation([&]() -> arrow::Result<std::string> {
    PageExtractor own(options);
    return Extracted(&own, content);
  });
  EXPECT_GT(failures.told, 10);
}

TEST(Allocations, PageInEachForm) {
  const std::string content = Response("; charset=utf-8", kBody);
  ExtractOptions options;
  ExpectDocument(options, content);
  options.ruby = RubyForm::kReadings;
  ExpectDocument(options, content);
  options.text = TextForm::kOriginal;
  options.ruby = RubyForm::kBase;
  ExpectDocument(options, content);
}

TEST(Allocations, PageWithItsMainContent) {
  const std::string content = Response("; charset=utf-8", kBody);
  ExtractOptions options;
  options.main_content = ContentMethod::kJustext;
  options.mark_boilerplate = true;
  ExpectDocument(options, content);
  options.main_content = ContentMethod::kModel;
  ExpectDocument(options, content);
  options.mark_boilerplate = false;
  ExpectDocument(options, content);
}

TEST(Allocations, PageInOtherCodings) {
  ExtractOptions options;
  const std::string gzip = Gzip(kBody);
  ExpectDocument(options, Response("\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked", Chunked(gzip)));
  ExpectDocument(options, Response("\r\nContent-Encoding: deflate", Deflated(kBody, 15)));
  ExpectDocument(options, Response("\r\nContent-Encoding: zstd", Zstd(kBody)));
}

// The declared charset is another's: the detector is asked.
TEST(Allocations, PageInAnotherCharset) {
  if (IsEveryLibraryRefused()) GTEST_SKIP() << "the detector is Rust's";
  std::string euc = "<title>a</title><p>";
  for (const char* character :
       {"\xa4\xb3", "\xa4\xc3", "\xa4\xc1", "\xa4\xce", "\xca\xb8", "\xb3\xda", "\xa4\xc7", "\xa4\xb9"}) {
    for (int i = 0; i < 9; ++i) euc.append(character).append(i % 3 == 0 ? "\xa4\xcf" : "\xa1\xa3<p>");
  }
  ExpectDocument({}, Response("; charset=utf-8", euc));
  ExpectDocument({}, Response("; charset=iso-8859-1", euc + "\xa4"));
}

TEST(Allocations, PageOfManyElements) {
  std::string page = "<p>";
  for (int i = 0; i < 300; ++i) {
    page += "<div class=c" + std::to_string(i) + "><a href=/" + std::to_string(i) + ">ここは" + std::to_string(i) +
            "番目の文章です。</a><b x=" + std::to_string(i) + ">";
  }
  ExtractOptions options;
  options.main_content = ContentMethod::kModel;
  PageExtractor extractor(options);
  const std::string content = Response("; charset=utf-8", page);
  const auto failures = FailEachAllocation([&]() -> arrow::Result<std::string> {
    PageExtractor own(options);
    return Extracted(&own, content);
  });
  EXPECT_GT(failures.told, 10);
}

}  // namespace
}  // namespace uzushio
