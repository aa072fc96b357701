// Any text as a document through every filter that needs no file: hostile markup, broken UTF-8 taken out as the stage
// does. Filters never crash, accounts add up, and what is applied twice to the same text gives the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/native.h"
#include "document/markup.h"
#include "filters/chain.h"
#include "filters/filter_scratch.h"

namespace {

const uzushio::FilterChain& Chain() {
  static const auto chain = uzushio::FilterChain::Make(nlohmann::json::parse(R"([
    {"class": "AdjacentDuplicateParagraphs"}, {"class": "DocLength"}, {"class": "CompressionRate", "high": 100},
    {"class": "HiraganaRatio"}, {"class": "LinkCharRatio"}, {"class": "MergeListTag"}, {"class": "MarkdownizeHeading"},
    {"class": "NoContentDOM"}, {"class": "LargeFreqParagraphs", "count": 2, "freq": 3},
    {"class": "DuplicateParagraphs", "limit": 9}, {"class": "DeduplicateDocuments"}, {"class": "DocLength"},
    {"class": "DeduplicateDocumentsPercentile"}, {"class": "DuplicateDocumentsLengthWeighted"},
    {"class": "HostFilter"}, {"class": "OptOut"}, {"class": "License", "keep": ["none", "by"]},
    {"class": "MainContentRatio"}, {"class": "MainContent", "low": 0.8},
    {"class": "MaskPersonalData"}, {"class": "MaskPersonalData", "code": false}])"))
                                .ValueOrDie();
  return *chain;
}

// Markdown is written once: a second time nothing changes.
void WriteMarkdown(std::string_view text) {
  static const auto chain = uzushio::FilterChain::Make(nlohmann::json::parse(R"([
    {"class": "Markdown", "emphasis": true}, {"class": "Markdown"}])"))
                                .ValueOrDie();
  uzushio::FilterDocument document;
  uzushio::FilterScratch scratch;
  document.Parse("id", text);
  std::vector<double> changed(chain->columns().size());
  chain->Measure(&document, &scratch, changed.data());
  if (changed.back() != 0) std::abort();
  for (const uzushio::FilterParagraph& paragraph : document.paragraphs()) {
    if (std::ranges::any_of(paragraph.plain, uzushio::IsMark)) std::abort();
  }
}

void SetColumns(std::string_view text, uzushio::FilterDocument* document) {
  for (size_t i = 0; i < uzushio::kKnownColumns.size(); ++i) {
    document->set_value(static_cast<uzushio::KnownColumn>(i), text);
  }
}

size_t Run(std::string_view text) {
  uzushio::FilterDocument document;
  uzushio::FilterScratch scratch;
  document.Parse("id", text);
  SetColumns(text, &document);
  for (size_t i = 0; i < document.paragraphs().size(); ++i) {
    document.paragraphs()[i].near_freq = 1 + static_cast<int32_t>(document.paragraphs()[i].plain.size() % 12);
  }
  const uzushio::ChainOutcome outcome = Chain().Apply(&document, &scratch);
  if (outcome.metric != outcome.metric) std::abort();
  size_t sum = static_cast<size_t>(outcome.removed_by + 1);
  for (const uzushio::FilterParagraph& paragraph : document.paragraphs()) {
    if (paragraph.plain.find_first_of("\x02\x03") != std::string_view::npos) std::abort();
    sum = sum * 31 + paragraph.plain.size() + static_cast<size_t>(paragraph.removed_by + 1);
  }
  std::vector<double> metrics(Chain().columns().size());
  document.Parse("id", text);
  SetColumns(text, &document);
  Chain().Measure(&document, &scratch, metrics.data());
  for (const double metric : metrics) {
    if (metric != metric || metric < 0) std::abort();
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), uz_utf8_valid_up_to(data, size));
  if (Run(text) != Run(text)) std::abort();
  WriteMarkdown(text);
  return 0;
}
