#include <cmath>

#include "filters/list.h"

namespace uzushio {
namespace {

class DuplicateDocumentsLengthWeighted final : public Filter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    double weighted = 0;
    double length = 0;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      const auto points = static_cast<double>(CodePoints(paragraph.plain));
      weighted += points * (std::log10(static_cast<double>(paragraph.near_freq)) + 1);
      length += points;
    });
    return Ratio(weighted, length);
  }
  std::vector<std::string> Reasons() const override {
    return {"DuplicateDocumentsLengthWeighted(" + JavaNumber(expected) + ")"};
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& document) const override {
    if (metric <= 0 || document.random() <= expected / metric) return std::nullopt;
    return 0;
  }
  std::string Bound(size_t /*reason*/) const override { return "random > " + JavaNumber(expected) + " / it"; }

  double expected = 1;
};

}  // namespace

FilterDeclaration DeclareDuplicateDocumentsLengthWeighted() {
  return Declare<DuplicateDocumentsLengthWeighted>(
             "DuplicateDocumentsLengthWeighted", "documents",
             "Removes documents at random, the likelier the more often their text occurs elsewhere.")
      .Metric("DuplicateDocumentsLengthWeighted", "mean of log10(nearFreq) + 1 by length")
      .Float("expected", &DuplicateDocumentsLengthWeighted::expected, 0, 1e12, "documents stay with expected / metric")
      .Done();
}

}  // namespace uzushio
