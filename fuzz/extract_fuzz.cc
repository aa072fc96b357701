// Any bytes as an HTTP response: extraction never crashes, and what it writes is sound markup.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "document/markup.h"
#include "document/paragraph_writer.h"
#include "document/structure.h"
#include "html.h"
#include "stages/extract/page_extractor.h"

namespace {

// The structure is what its blocks make again, and of control bytes the text has marks, line breaks and tabs alone.
void CheckShown(const uzushio::ParagraphView& paragraph) {
  std::string structure;
  for (const uzushio::StructureBlock& block : uzushio::BlocksOf(paragraph.structure)) {
    uzushio::AppendBlock(block, &structure);
  }
  uzushio_fuzz::Check(structure == paragraph.structure);
  for (const char c : paragraph.text) {
    uzushio_fuzz::Check(static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t' || uzushio::IsMark(c));
  }
}

// Marks that begin something end in the paragraph.
void CheckPairs(std::string_view text, char start, char end) {
  int depth = 0;
  for (const char c : text) {
    depth += c == start ? 1 : c == end ? -1 : 0;
    uzushio_fuzz::Check(depth >= 0);
  }
  uzushio_fuzz::Check(depth == 0);
}

// Every paragraph has text with marks in pairs, which cleaning leaves as it is where that is done, and a path without
// control bytes.
void CheckDocument(const uzushio::Document& document) {
  uzushio::ParagraphReader reader(document.text);
  int64_t paragraphs = 0;
  while (auto paragraph = reader.Next()) {
    ++paragraphs;
    uzushio_fuzz::Check(!paragraph->text.empty());
    if (paragraph->shown) {
      CheckShown(*paragraph);
    } else {
      uzushio_fuzz::Check(uzushio::CleanParagraph(paragraph->text) == paragraph->text);
    }
    for (const char c : paragraph->path) uzushio_fuzz::Check(static_cast<unsigned char>(c) > 0x20);
    CheckPairs(paragraph->text, uzushio::kLinkStart, uzushio::kLinkEnd);
    CheckPairs(paragraph->text, uzushio::kCodeStart, uzushio::kCodeEnd);
    CheckPairs(paragraph->text, uzushio::kStrongStart, uzushio::kStrongEnd);
    CheckPairs(paragraph->text, uzushio::kEmphasisStart, uzushio::kEmphasisEnd);
    CheckPairs(paragraph->text, uzushio::kFormulaStart, uzushio::kFormulaEnd);
  }
  uzushio_fuzz::Check(paragraphs == document.paragraphs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uzushio::ExtractOptions options;
  options.codes.clear();
  options.limits = {.max_bytes = 1 << 16,
                    .max_text_bytes = 1 << 18,
                    .max_inflation = 100,
                    .max_depth = 300,
                    .max_attributes = 100,
                    .max_tree_bytes = size_t{2} << 20};
  static uzushio::PageExtractor whole(options);
  options.text = uzushio::TextForm::kOriginal;
  static uzushio::PageExtractor original(options);
  options.text = uzushio::TextForm::kShown;
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
  for (auto* extractor : {&whole, &original, &justext, &content, &marked}) {
    uzushio::Document document;
    if (extractor->Extract(page, &document).kind == uzushio::PageOutcome::Kind::kDocument) CheckDocument(document);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  return uzushio_fuzz::MutatePage(data, size, max_size, seed);
}
