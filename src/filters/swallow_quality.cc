#include <algorithm>
#include <array>

#include "filters/list.h"
#include "filters/metric_rules.h"
#include "quality/text_quality.h"

namespace uzushio {
namespace {

// The rules, in order: a metric, whether documents below or above its bound are removed, the bound, and the most that
// the metric can be. The bounds are those of Swallow Corpus Version 1 (apply_v1 of quality.py).
#define UZUSHIO_SWALLOW_RULES(RULE)                             \
  RULE(min, num_letters, 400, kMostCount)                       \
  RULE(max, duplicate_paragraph_fraction, 0.30, 1)              \
  RULE(max, duplicate_sentence_fraction, 0.30, 1)               \
  RULE(max, duplicate_paragraph_fraction_in_character, 0.20, 1) \
  RULE(max, duplicate_sentence_fraction_in_character, 0.20, 1)  \
  RULE(max, top_2gram_character_fraction, 0.20, 1)              \
  RULE(max, top_3gram_character_fraction, 0.18, 1)              \
  RULE(max, top_4gram_character_fraction, 0.16, 1)              \
  RULE(max, duplicate_5gram_character_fraction, 0.15, 1)        \
  RULE(max, duplicate_6gram_character_fraction, 0.14, 1)        \
  RULE(max, duplicate_7gram_character_fraction, 0.13, 1)        \
  RULE(max, duplicate_8gram_character_fraction, 0.12, 1)        \
  RULE(max, duplicate_9gram_character_fraction, 0.11, 1)        \
  RULE(max, duplicate_10gram_character_fraction, 0.10, 1)       \
  RULE(min, hiragana_fraction, 0.2, 1)                          \
  RULE(max, katakana_fraction, 0.5, 1)                          \
  RULE(min, japanese_fraction, 0.5, 1)                          \
  RULE(min, num_japanese_letters, 400, kMostCount)              \
  RULE(min, avg_sentence_length, 20, kMostCount)                \
  RULE(max, avg_sentence_length, 90, kMostCount)                \
  RULE(max, max_sentence_length, 200, kMostCount)               \
  RULE(max, ellipsis_fraction, 0.2, 1)

struct Bounds {
#define UZUSHIO_SWALLOW_BOUND(SIDE, METRIC, BOUND, MOST) double SIDE##_##METRIC = BOUND;
  UZUSHIO_SWALLOW_RULES(UZUSHIO_SWALLOW_BOUND)
#undef UZUSHIO_SWALLOW_BOUND
};

constexpr auto kRules = std::to_array<MetricRule<Bounds>>({
#define UZUSHIO_SWALLOW_RULE(SIDE, METRIC, BOUND, MOST) \
  {#METRIC, static_cast<size_t>(SwallowMetric::METRIC), IsLeast(#SIDE), &Bounds::SIDE##_##METRIC},
    UZUSHIO_SWALLOW_RULES(UZUSHIO_SWALLOW_RULE)
#undef UZUSHIO_SWALLOW_RULE
});

class SwallowQuality final : public MetricRulesFilter<Bounds> {
 public:
  arrow::Status Prepare() const {
    if (min_avg_sentence_length <= std::min(max_avg_sentence_length, max_max_sentence_length)) {
      return arrow::Status::OK();
    }
    return arrow::Status::Invalid(
        "min_avg_sentence_length, ", JavaNumber(min_avg_sentence_length),
        ", is above max_avg_sentence_length or max_max_sentence_length: ", "every document would be removed");
  }
  void MeasureAll(const FilterDocument& document, FilterScratch* scratch, std::span<double> metrics) const override {
    document.JoinAlive(&scratch->text);
    scratch->quality.Measure(scratch->text, metrics.first<kSwallowMetrics>());
  }

 protected:
  std::span<const MetricRule<Bounds>> rules() const override { return kRules; }
  const char* ReasonName() const override { return "SwallowQuality"; }
};

}  // namespace

FilterDeclaration DeclareSwallowQuality() {
  Declare<SwallowQuality> declare(
      "SwallowQuality", "documents",
      "Removes documents by the quality rules of the Swallow corpus. Paragraphs are joined by one line break.");
  declare.Metric("Swallow", "the annotations of the Swallow corpus, one column each")
      .Metrics({
#define UZUSHIO_SWALLOW_METRIC(NAME, MEANING) {#NAME, (MEANING)},
          UZUSHIO_SWALLOW_METRICS(UZUSHIO_SWALLOW_METRIC)
#undef UZUSHIO_SWALLOW_METRIC
      });
#define UZUSHIO_SWALLOW_PARAMETER(SIDE, METRIC, BOUND, MOST)                  \
  declare.Float(#SIDE "_" #METRIC, &SwallowQuality::SIDE##_##METRIC, 0, MOST, \
                IsLeast(#SIDE) ? "documents below are removed" : "documents above are removed");
  UZUSHIO_SWALLOW_RULES(UZUSHIO_SWALLOW_PARAMETER)
#undef UZUSHIO_SWALLOW_PARAMETER
  return declare.Done();
}

}  // namespace uzushio
