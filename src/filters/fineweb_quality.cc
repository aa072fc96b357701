#include <algorithm>
#include <array>

#include "filters/list.h"
#include "filters/metric_rules.h"
#include "lm/tokenizer.h"
#include "quality/word_quality.h"

namespace uzushio {
namespace {

// The rules of FineWeb-2's pipeline, in its order: a metric, whether documents below or above its bound are removed,
// the bound, and the most that the metric can be. The bounds are those for Japanese (configs/jpn_Jpan.yml of
// fineweb-2), and where it has none those of fineweb-2-pipeline.py and of datatrove's filters. Rules that FineWeb-2
// turns off are left out.
#define UZUSHIO_FINEWEB_RULES(RULE)                     \
  RULE(max, duplicate_line_fraction, 0.328, 1)          \
  RULE(max, top_2gram_word_fraction, 0.239, kMostCount) \
  RULE(max, top_3gram_word_fraction, 0.196, kMostCount) \
  RULE(max, top_4gram_word_fraction, 0.172, kMostCount) \
  RULE(max, duplicate_5gram_word_fraction, 0.243, 1)    \
  RULE(max, duplicate_6gram_word_fraction, 0.225, 1)    \
  RULE(max, duplicate_7gram_word_fraction, 0.207, 1)    \
  RULE(max, duplicate_8gram_word_fraction, 0.19, 1)     \
  RULE(max, duplicate_9gram_word_fraction, 0.175, 1)    \
  RULE(max, duplicate_10gram_word_fraction, 0.159, 1)   \
  RULE(min, terminated_line_fraction, 0.096, 1)         \
  RULE(max, duplicate_line_letter_fraction, 0.1, 1)     \
  RULE(max, line_breaks_per_word, 0.13, kMostCount)     \
  RULE(min, num_words, 50, kMostCount)                  \
  RULE(max, num_words, 100000, kMostCount)              \
  RULE(min, mean_word_length, 1, kMostCount)            \
  RULE(max, mean_word_length, 6, kMostCount)            \
  RULE(max, hashes_per_word, 0.1, kMostCount)           \
  RULE(max, ellipses_per_word, 0.1, kMostCount)         \
  RULE(max, bullet_line_fraction, 0.9, 1)               \
  RULE(max, ellipsis_line_fraction, 0.3, 1)             \
  RULE(min, alphabetic_word_fraction, 0.759, 1)         \
  RULE(min, num_stop_words, 2, kMostCount)

struct FineWebBounds {
#define UZUSHIO_FINEWEB_BOUND(SIDE, METRIC, BOUND, MOST) double SIDE##_##METRIC = BOUND;
  UZUSHIO_FINEWEB_RULES(UZUSHIO_FINEWEB_BOUND)
#undef UZUSHIO_FINEWEB_BOUND
};

constexpr auto kFineWebRules = std::to_array<MetricRule<FineWebBounds>>({
#define UZUSHIO_FINEWEB_RULE(SIDE, METRIC, BOUND, MOST) \
  {#METRIC, static_cast<size_t>(FineWebMetric::METRIC), IsLeast(#SIDE), &FineWebBounds::SIDE##_##METRIC},
    UZUSHIO_FINEWEB_RULES(UZUSHIO_FINEWEB_RULE)
#undef UZUSHIO_FINEWEB_RULE
});

class FineWebQuality final : public MetricRulesFilter<FineWebBounds> {
 public:
  arrow::Status Prepare() {
    if (min_num_words > max_num_words || min_mean_word_length > max_mean_word_length) {
      return arrow::Status::Invalid(min_num_words > max_num_words ? "min_num_words" : "min_mean_word_length",
                                    " is above its max_: every document would be removed");
    }
    std::ranges::sort(stop_words);
    stop_words.erase(std::unique(stop_words.begin(), stop_words.end()), stop_words.end());
    ARROW_ASSIGN_OR_RAISE(dictionary_, SudachiDictionary::Open(sudachi));
    return arrow::Status::OK();
  }
  void MeasureAll(const FilterDocument& document, FilterScratch* scratch, std::span<double> metrics) const override {
    document.JoinAlive(&scratch->text);
    scratch->words.Begin();
    scratch->tokenizers.Of(dictionary_, SplitMode::kA).ForEachToken(scratch->text, [scratch](std::string_view word) {
      scratch->words.AddWord(word);
    });
    scratch->words.Measure(scratch->text, stop_words, metrics.first<kFineWebMetrics>());
  }
  std::string MetricKey() const override {
    std::string key = sudachi;
    if (stop_words != FineWebQuality().stop_words) {
      for (const std::string& word : stop_words) key += "," + word;
    }
    return key;
  }

  std::string sudachi;
  // Those of jpn_Jpan.yml, sorted.
  std::vector<std::string> stop_words = {"が", "さ", "し", "た", "て", "で", "と", "に",
                                         "の", "は", "れ", "を", "・", "年", "月"};

 protected:
  std::span<const MetricRule<FineWebBounds>> rules() const override { return kFineWebRules; }
  const char* ReasonName() const override { return "FineWebQuality"; }

 private:
  std::shared_ptr<const SudachiDictionary> dictionary_;
};

}  // namespace

FilterDeclaration DeclareFineWebQuality() {
  Declare<FineWebQuality> declare(
      "FineWebQuality", "documents",
      "Removes documents by the quality rules of FineWeb-2 for Japanese, which are those of "
      "Gopher and FineWeb. Words are those of Sudachi in mode A. Paragraphs are joined by one "
      "line break.");
  declare.Metric("FineWeb", "what FineWeb-2 measures, one column each")
      .Metrics({
#define UZUSHIO_FINEWEB_METRIC(NAME, MEANING) {#NAME, (MEANING)},
          UZUSHIO_FINEWEB_METRICS(UZUSHIO_FINEWEB_METRIC)
#undef UZUSHIO_FINEWEB_METRIC
      })
      .File("sudachi", &FineWebQuality::sudachi, "Sudachi's system dictionary")
      .Texts("stop_words", &FineWebQuality::stop_words, "words that running text contains");
#define UZUSHIO_FINEWEB_PARAMETER(SIDE, METRIC, BOUND, MOST)                  \
  declare.Float(#SIDE "_" #METRIC, &FineWebQuality::SIDE##_##METRIC, 0, MOST, \
                IsLeast(#SIDE) ? "documents below are removed" : "documents above are removed");
  UZUSHIO_FINEWEB_RULES(UZUSHIO_FINEWEB_PARAMETER)
#undef UZUSHIO_FINEWEB_PARAMETER
  return declare.Done();
}

}  // namespace uzushio
