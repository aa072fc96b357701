#include <algorithm>

#include "filters/list.h"

namespace uzushio {
namespace {

class DeduplicateDocumentsPercentile final : public SampledFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    std::vector<uint32_t>& freqs = scratch->numbers;
    freqs.clear();
    document.ForEachAlive(
        [&](const FilterParagraph& paragraph) { freqs.push_back(static_cast<uint32_t>(paragraph.near_freq)); });
    if (freqs.empty()) return 0;
    const auto wanted = static_cast<size_t>(static_cast<float>(freqs.size()) * percentile);
    const auto at = freqs.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, freqs.size() - 1));
    std::nth_element(freqs.begin(), at, freqs.end());
    return *at;
  }
  std::string MetricKey() const override { return JavaNumber(percentile); }
  std::vector<std::string> Reasons() const override {
    return {"DedupDocsPercentile(" + JavaNumber(percentile) + "," + JavaNumber(expected) + ")"};
  }

  float percentile = 0.05F;
};

}  // namespace

FilterDeclaration DeclareDeduplicateDocumentsPercentile() {
  return Declare<DeduplicateDocumentsPercentile>("DeduplicateDocumentsPercentile", "documents",
                                                 "Keeps a given number of copies of each document, on average. A "
                                                 "percentile of nearFreq estimates the number of copies.")
      .Metric("DeduplicateDocumentsPercentile", "percentile of nearFreq over the paragraphs")
      .Float("percentile", &DeduplicateDocumentsPercentile::percentile, 0, 1, "the percentile, as a share")
      .Float("expected", &DeduplicateDocumentsPercentile::expected, 0, 1e12, "number of copies to keep, on average")
      .Done();
}

}  // namespace uzushio
