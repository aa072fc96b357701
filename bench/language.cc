// The tests for Japanese on the pages of WARC files: `bench_language FILE.warc.gz…`.
//
// Prints a line a page, `file offset rapid precise`: 1 where the rapid test lets it pass, and where its text is found
// Japanese. Then a line of JSON with seconds, reading left out: of the rapid test on all pages, of extracting (parsing,
// paragraphs, precise test) those that it lets pass, and of extracting all.
#include <arrow/filesystem/localfs.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "html/charset.h"
#include "lang/rapid.h"
#include "stages/extract/page_extractor.h"
#include "warc/warc_reader.h"

namespace {

struct Page {
  std::string content;
  std::string url;
  std::string body;
  std::string charset;
  bool html = false;
  const char* file = nullptr;
  int64_t offset = 0;
  bool rapid = false;
  bool precise = false;
};

constexpr size_t kMaxBytes = size_t{8} << 20;

arrow::Status Load(const char* path, std::vector<Page>* pages) {
  arrow::fs::LocalFileSystem filesystem;
  ARROW_ASSIGN_OR_RAISE(auto file, filesystem.OpenInputFile(path));
  ARROW_ASSIGN_OR_RAISE(auto window, uzushio::InputWindow::Open(file));
  ARROW_ASSIGN_OR_RAISE(auto reader, uzushio::WarcReader::Open(std::move(window), path, kMaxBytes, 1000));
  uzushio::WarcRecord record;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, reader->Next(&record));
    if (!more) return arrow::Status::OK();
    uzushio::PageView stored;
    uzushio::HttpResponse response;
    std::string buffer;
    std::string_view body;
    if (record.state != uzushio::WarcRecord::State::kOk || !uzushio::SelectPage(record, &stored).empty()) continue;
    if (!uzushio::ParseHttpResponse(stored.content, &response) || response.status != 200) continue;
    if (uzushio::DecodeBody(response, {kMaxBytes, 1000}, &buffer, &body) != uzushio::BodyOutcome::kOk) continue;
    const std::string_view type = response.headers.Get("Content-Type");
    const uzushio::MediaType media = uzushio::ClassifyMedia(type, body);
    if (media == uzushio::MediaType::kOther || body.empty()) continue;
    pages->push_back({.content = std::string(stored.content),
                      .url = std::string(stored.url),
                      .body = std::string(body),
                      .charset = std::string(uzushio::CharsetParameter(type)),
                      .html = media == uzushio::MediaType::kHtml,
                      .file = path,
                      .offset = stored.offset});
  }
}

bool PassesRapidTest(const Page& page, std::string* buffer) {
  const auto decoded = uzushio::DecodePage(page.body, page.charset, page.html, true, buffer);
  return decoded && !uzushio::CantBeJapanese(decoded->utf8, decoded->encoding.can_hold_kana());
}

// `languages` with more than Japanese in it leaves the rapid test out.
double ExtractAll(std::vector<Page>* pages, const std::set<std::string>& languages) {
  uzushio::ExtractOptions options;
  options.languages = languages;
  uzushio::PageExtractor extractor(options);
  const auto start = std::chrono::steady_clock::now();
  for (Page& page : *pages) {
    if (languages.size() == 1 && !page.rapid) continue;
    uzushio::PageView stored;
    stored.content = page.content;
    stored.url = page.url;
    uzushio::Document document;
    const auto outcome = extractor.Extract(stored, &document);
    page.precise = outcome.kind == uzushio::PageOutcome::Kind::kDocument && document.language == "ja";
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Page> pages;
  for (int i = 1; i < argc; ++i) {
    const arrow::Status status = Load(argv[i], &pages);
    if (!status.ok()) {
      std::fprintf(stderr, "bench_language: %s: %s\n", argv[i], status.ToString().c_str());
      return 1;
    }
  }
  std::string buffer;
  for (Page& page : pages) page.rapid = PassesRapidTest(page, &buffer);
  const auto start = std::chrono::steady_clock::now();
  for (Page& page : pages) page.rapid = PassesRapidTest(page, &buffer);
  const double rapid = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double passing = ExtractAll(&pages, {"ja"});
  const double all = ExtractAll(&pages, {"ja", "xx"});
  size_t bytes = 0;
  for (const Page& page : pages) {
    bytes += page.body.size();
    std::printf("%s\t%lld\t%d\t%d\n", page.file, static_cast<long long>(page.offset), page.rapid ? 1 : 0,
                page.precise ? 1 : 0);
  }
  std::printf("{\"pages\": %zu, \"bytes\": %zu, \"rapid\": %.6f, \"passing\": %.6f, \"all\": %.6f}\n", pages.size(),
              bytes, rapid, passing, all);
  return 0;
}
