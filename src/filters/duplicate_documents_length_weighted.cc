#include <cmath>

#include "filters/list.h"

namespace uzushio {
namespace {

class DuplicateDocumentsLengthWeighted final : public SampledFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    return MeanByLength(document, [](const FilterParagraph& paragraph, double length) {
      return length * (std::log10(static_cast<double>(paragraph.near_freq)) + 1);
    });
  }
  std::vector<std::string> Reasons() const override {
    return {"DuplicateDocumentsLengthWeighted(" + JavaNumber(expected) + ")"};
  }
};

}  // namespace

FilterDeclaration DeclareDuplicateDocumentsLengthWeighted() {
  return Declare<DuplicateDocumentsLengthWeighted>(
             "DuplicateDocumentsLengthWeighted", "documents",
             "Removes documents at random, with a higher probability the more often their text occurs elsewhere.")
      .Metric("DuplicateDocumentsLengthWeighted", "mean of log10(nearFreq) + 1, weighted by length")
      .Float("expected", &DuplicateDocumentsLengthWeighted::expected, 0, 1e12,
             "documents are kept with probability expected / metric")
      .Done();
}

}  // namespace uzushio
