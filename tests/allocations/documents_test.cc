// Documents through filters, searches and comparisons. Configurations are left out: nlohmann::json takes memory where a
// value is destroyed, and ends the process where there is none.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "allocations/failing_allocations.h"
#include "base/test_support.h"
#include "contamination/folding.h"
#include "contamination/item_index.h"
#include "dedup/document_signature.h"
#include "dedup/edit_similarity.h"
#include "dedup/indexed_texts.h"
#include "dedup/jaccard.h"
#include "document/licenses.h"
#include "document/robots_file.h"
#include "filters/chain.h"
#include "filters/filter_scratch.h"

namespace uzushio {
namespace {

const std::string kText =
    "body>nav>ul>li\x1c\x02トップ\x03\n\n"
    "body>h1#t\x1c日本語の題\n\n"
    "body>div.main>p\x1cここには、やさしい日本語の文章があります。\x02リンク\x03もあります。電話は03-1234-"
    "5678です。\n\n"
    "body>ul>li\x1c項目の一つ\n\nbody>ul>li\x1c項目の二つ\n\n"
    "body>p\x1c同じ段落です。\n\nbody>p\x1c同じ段落です。\n\nbody>p\x1d"
    "07\x1c本文ではない";

// Of the filters that need no file.
constexpr const char* kChain = R"([
    {"class": "AdjacentDuplicateParagraphs"}, {"class": "CompressionRate", "high": 100}, {"class": "DocLength"},
    {"class": "DeduplicateDocuments"}, {"class": "DeduplicateDocumentsPercentile"}, {"class": "HiraganaRatio"},
    {"class": "DuplicateDocumentsLengthWeighted"}, {"class": "DuplicateParagraphs", "limit": 9},
    {"class": "HostFilter"}, {"class": "OptOut"},
    {"class": "LargeFreqParagraphs", "count": 2, "freq": 3}, {"class": "License", "keep": ["none", "by"]},
    {"class": "LinkCharRatio"}, {"class": "MainContentRatio"}, {"class": "MainContent", "low": 0.1},
    {"class": "MaskPersonalData"}, {"class": "MergeListTag"}, {"class": "MarkdownizeHeading"},
    {"class": "NoContentDOM"}, {"class": "Markdown"}])";

TEST(Allocations, ChainOfFilters) {
  const nlohmann::json filters = nlohmann::json::parse(kChain);
  const auto chain = FilterChain::Make(filters);
  ASSERT_TRUE(chain.ok()) << chain.status();
  const auto apply = [&](FilterDocument* document, FilterScratch* scratch) {
    document->Parse("id", kText);
    for (size_t i = 0; i < kKnownColumns.size(); ++i) document->set_value(static_cast<KnownColumn>(i), "http://a.jp/");
    for (FilterParagraph& paragraph : document->paragraphs()) paragraph.near_freq = 2;
    std::vector<double> metrics((*chain)->columns().size());
    (*chain)->Measure(document, scratch, metrics.data());
    std::string made;
    for (const double metric : metrics) made += std::to_string(metric) + ' ';
    document->Parse("id", kText);
    const ChainOutcome outcome = (*chain)->Apply(document, scratch);
    made += std::to_string(outcome.removed_by) + ' ' + std::to_string(outcome.metric) + ' ';
    for (const FilterParagraph& paragraph : document->paragraphs()) {
      made.append(paragraph.plain).append(std::to_string(paragraph.removed_by));
    }
    return made;
  };
  FilterDocument kept_document;
  FilterScratch kept_scratch;
  FailEachAllocation([&]() -> arrow::Result<std::string> { return apply(&kept_document, &kept_scratch); });
  const auto failures = FailEachAllocation([&]() -> arrow::Result<std::string> {
    FilterDocument document;
    FilterScratch scratch;
    return apply(&document, &scratch);
  });
  EXPECT_GT(failures.told, 20);
}

TEST(Allocations, SearchForItems) {
  const Folding folding({});
  std::vector<ItemParts> items;
  for (int i = 0; i < 40; ++i) {
    std::string question;
    folding.Append("次の文章の" + std::to_string(i * 7919) + "番目の問いに、理由とともに答えなさい。", &question);
    items.push_back({question, "", {}});
  }
  const auto failures = FailEachAllocation([&]() -> arrow::Result<std::string> {
    ItemIndexBuilder builder;
    for (const ItemParts& item : items) ARROW_RETURN_NOT_OK(builder.Add(item).status());
    const auto index = builder.Finish();
    std::string codes = items[7].question + items[3].question;
    const size_t size = codes.size();
    codes.append(ItemIndex::kSlack, '\0');
    ItemSearch search;
    std::vector<ItemMatch> matches;
    index->FindAbove(std::string_view(codes).substr(0, size), .5, &search, &matches);
    std::string found = std::to_string(index->checksum());
    for (const ItemMatch& match : matches)
      found += ' ' + std::to_string(match.item) + ' ' + std::to_string(match.share);
    return found;
  });
  EXPECT_GT(failures.told, 20);
}

TEST(Allocations, Signatures) {
  const SignatureOptions options;
  const std::string text = Repeat(kText, 3) + Repeat("あ", 4000);
  const auto failures = FailEachAllocation([&]() -> arrow::Result<std::string> {
    DocumentSigner signer(options);
    std::vector<uint64_t> buckets(static_cast<size_t>(options.buckets));
    std::vector<uint8_t> sketch(options.sketch_bytes());
    signer.Sign(text, buckets, sketch);
    std::string made(sketch.begin(), sketch.end());
    for (const uint64_t bucket : buckets) made += std::to_string(bucket);
    TextCompressor compressor;
    ARROW_RETURN_NOT_OK(compressor.Append(text, &made));
    return made;
  });
  EXPECT_GT(failures.told, 3);
}

}  // namespace
}  // namespace uzushio
