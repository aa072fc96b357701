// The tests for Japanese on the pages of WARC files: `bench_language [--model FILE] FILE.warc.gz…`.
//
// Prints a line a page, `file offset rapid precise`: 1 where the rapid test lets it pass, and where its text is found
// Japanese. Then a line of JSON with seconds, reading left out: of the rapid test on all pages, of extracting (parsing,
// paragraphs, precise test) those that it lets pass, and of extracting all.
//
// With a model, `file offset` and whether a page passes the rapid test by kana, and all by kana; passes the rapid test
// by the model, and all by it, and the precise test alone; and is Japanese by CLD2 on its text. Then bytes, and user
// seconds of going through all texts by each, and through all pages by the rapid test by kana.
#include <arrow/filesystem/localfs.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <cld2/public/compact_lang_det.h>

#include "document/markup.h"
#include "html/charset.h"
#include "lang/classifier.h"
#include "lang/identify.h"
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
    const uzushio::ContentType type = uzushio::ContentTypeOf(response.headers);
    const uzushio::MediaType media = uzushio::ClassifyMedia(type.essence, body);
    if (media == uzushio::MediaType::kOther || body.empty()) continue;
    pages->push_back({.content = std::string(stored.content),
                      .url = std::string(stored.url),
                      .body = std::string(body),
                      .charset = std::string(type.charset),
                      .html = media == uzushio::MediaType::kHtml,
                      .file = path,
                      .offset = stored.offset});
  }
}

bool PassesRapidTest(const Page& page, std::string* buffer) {
  const auto decoded =
      uzushio::DecodePage(page.body, page.charset, page.html, uzushio::CharsetRule::kTolerant, true, buffer);
  return decoded && !uzushio::CantBeJapanese(decoded->utf8, decoded->encoding.can_hold_kana());
}

// `languages` with more than Japanese in it leaves the rapid test out.
double ExtractAll(std::vector<Page>* pages, const std::set<std::string>& languages) {
  uzushio::ExtractOptions options;
  options.codes = languages;
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

double UserSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
}

// The least user seconds of five goes.
template <typename Work>
double Seconds(Work work) {
  double least = 1e9;
  for (int round = 0; round < 5; ++round) {
    const double start = UserSeconds();
    work();
    least = std::min(least, UserSeconds() - start);
  }
  return least;
}

bool IsJapaneseByCld2(std::string_view text) {
  bool reliable = false;
  const int bytes = static_cast<int>(text.size());
  return CLD2::DetectLanguage(text.data(), bytes, true, &reliable) == CLD2::JAPANESE;
}

std::string PlainText(std::string_view document) {
  std::string text;
  uzushio::ParagraphReader reader(document);
  while (const auto paragraph = reader.Next()) text += uzushio::StripMarks(paragraph->text) + '\n';
  return text;
}

uzushio::PageOutcome ExtractPage(uzushio::PageExtractor* extractor, const Page& page, uzushio::Document* document) {
  uzushio::PageView stored;
  stored.content = page.content;
  stored.url = page.url;
  return extractor->Extract(stored, document);
}

arrow::Status Compare(const std::string& model, std::vector<Page>* pages) {
  uzushio::ExtractOptions rapid;
  rapid.japanese_test = uzushio::JapaneseTest::kRapid;
  rapid.language_model = model;
  ARROW_RETURN_NOT_OK(uzushio::Complete(&rapid));
  uzushio::ExtractOptions all;
  all.codes.clear();
  const uzushio::ExtractOptions by_default;
  const uzushio::LanguageClassifier& classifier = *rapid.classifier;
  uzushio::PageExtractor by_title(rapid);
  uzushio::PageExtractor by_kana(by_default);
  uzushio::PageExtractor any(all);
  std::vector<std::string> texts;
  std::string buffer;
  size_t page_bytes = 0;
  for (Page& page : *pages) {
    uzushio::Document document;
    const bool kana = ExtractPage(&by_kana, page, &document).kind == uzushio::PageOutcome::Kind::kDocument;
    const bool title = ExtractPage(&by_title, page, &document).reason != "language-rapid";
    const bool has_text = ExtractPage(&any, page, &document).kind == uzushio::PageOutcome::Kind::kDocument;
    if (!has_text) document.text.clear();
    const bool score = classifier.IsJapanese(document.text);
    const bool cld2 = IsJapaneseByCld2(PlainText(document.text));
    std::printf("%s\t%lld\t%d\t%d\t%d\t%d\t%d\t%d\n", page.file, static_cast<long long>(page.offset),
                PassesRapidTest(page, &buffer) ? 1 : 0, kana ? 1 : 0, title ? 1 : 0, title && score ? 1 : 0,
                score ? 1 : 0, cld2 ? 1 : 0);
    page_bytes += page.body.size();
    texts.push_back(document.text);
  }
  size_t text_bytes = 0;
  std::vector<std::string> plain;
  for (const std::string& text : texts) text_bytes += plain.emplace_back(PlainText(text)).size();
  size_t found = 0;
  const double kana = Seconds([&] {
    for (const std::string& text : texts) found += uzushio::IsJapanese(text, "") ? 1 : 0;
  });
  const double score = Seconds([&] {
    for (const std::string& text : texts) found += classifier.IsJapanese(text) ? 1 : 0;
  });
  const double cld2 = Seconds([&] {
    for (const std::string& text : plain) found += IsJapaneseByCld2(text) ? 1 : 0;
  });
  const double rapid_kana = Seconds([&] {
    for (const Page& page : *pages) found += PassesRapidTest(page, &buffer) ? 1 : 0;
  });
  std::printf(
      "{\"found\": %zu, \"text_bytes\": %zu, \"page_bytes\": %zu, \"kana\": %.6f, \"score\": %.6f, "
      "\"cld2\": %.6f, \"rapid_kana\": %.6f}\n",
      found, text_bytes, page_bytes, kana, score, cld2, rapid_kana);
  return arrow::Status::OK();
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Page> pages;
  const bool compare = argc > 2 && std::string_view(argv[1]) == "--model";
  for (int i = compare ? 3 : 1; i < argc; ++i) {
    const arrow::Status status = Load(argv[i], &pages);
    if (!status.ok()) {
      std::fprintf(stderr, "bench_language: %s: %s\n", argv[i], status.ToString().c_str());
      return 1;
    }
  }
  if (compare) {
    const arrow::Status status = Compare(argv[2], &pages);
    if (!status.ok()) std::fprintf(stderr, "bench_language: %s\n", status.ToString().c_str());
    return status.ok() ? 0 : 1;
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
