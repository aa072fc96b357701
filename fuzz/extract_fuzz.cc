// Any bytes as an HTTP response: extraction never crashes, and what it writes is sound markup.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "document/markup.h"
#include "document/paragraph_writer.h"
#include "stages/extract/page_extractor.h"

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

// Every paragraph has text that cleaning leaves as it is, with link marks in pairs, and a path without control bytes.
void CheckDocument(const uzushio::Document& document) {
  uzushio::ParagraphReader reader(document.text);
  int64_t paragraphs = 0;
  while (auto paragraph = reader.Next()) {
    ++paragraphs;
    Check(!paragraph->text.empty());
    Check(uzushio::CleanParagraph(paragraph->text) == paragraph->text);
    for (const char c : paragraph->path) Check(static_cast<unsigned char>(c) > 0x20);
    bool inside = false;
    for (const char c : paragraph->text) {
      if (c != uzushio::kLinkStart && c != uzushio::kLinkEnd) continue;
      Check((c == uzushio::kLinkStart) == !inside);
      inside = !inside;
    }
    Check(!inside);
  }
  Check(paragraphs == document.paragraphs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uzushio::ExtractOptions options;
  options.languages.clear();
  options.limits = {.max_bytes = 1 << 16,
                    .max_text_bytes = 1 << 18,
                    .max_inflation = 100,
                    .max_depth = 300,
                    .max_attributes = 100,
                    .max_nodes = 10'000};
  static uzushio::PageExtractor whole(options);
  options.main_content = uzushio::ContentMethod::kJustext;
  static uzushio::PageExtractor justext(options);
  options.main_content = uzushio::ContentMethod::kModel;
  static uzushio::PageExtractor content(options);
  options.mark_boilerplate = true;
  static uzushio::PageExtractor marked(options);
  uzushio::PageView page;
  page.content = {reinterpret_cast<const char*>(data), size};
  page.url = "http://example.jp/";
  page.warc = "fuzz";
  for (auto* extractor : {&whole, &justext, &content, &marked}) {
    uzushio::Document document;
    if (extractor->Extract(page, &document).kind == uzushio::PageOutcome::Kind::kDocument) CheckDocument(document);
  }
  return 0;
}
