#include <algorithm>
#include <cmath>

#include "filters/list.h"

namespace uzushio {
namespace {

// The threshold of a document, a function of its id: normally distributed. (The original swaps the two.)
constexpr double kMean = 0.3;
constexpr double kDeviation = 0.1;

class DeduplicateDocuments final : public MetricFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    return MeanByLength(document, [this](const FilterParagraph& paragraph, double length) {
      const auto freq = static_cast<double>(std::min<int64_t>(paragraph.near_freq, baseNumFreq));
      return length * std::log(freq) / std::log(static_cast<double>(baseNumFreq));
    });
  }
  std::string MetricKey() const override { return std::to_string(baseNumFreq); }
  std::vector<std::string> Reasons() const override {
    return {"DeduplicateDocuments(" + std::to_string(baseNumFreq) + ")"};
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& document) const override {
    // A document without duplicates stays, even where the threshold is below zero.
    if (metric <= 0 || metric < kMean + kDeviation * document.Gaussian()) return std::nullopt;
    return 0;
  }
  RemovalRule Rule() const override {
    return {.thresholds = {}, .sampling = {}, .normal = NormalBound{.mean = kMean, .deviation = kDeviation}};
  }
  std::string Bound(size_t /*reason*/) const override { return ">= a threshold by the id, around 0.3"; }

  int64_t baseNumFreq = 10;
};

}  // namespace

FilterDeclaration DeclareDeduplicateDocuments() {
  return Declare<DeduplicateDocuments>(
             "DeduplicateDocuments", "documents",
             "Removes documents at random, with a higher probability for more duplicated text.")
      .Metric("DeduplicateDocuments", "mean of log(min(nearFreq, base)) / log(base), weighted by length, in [0, 1]")
      .Int("baseNumFreq", &DeduplicateDocuments::baseNumFreq, 2, INT32_MAX,
           "nearFreq from which a paragraph counts as fully duplicated")
      .Done();
}

}  // namespace uzushio
