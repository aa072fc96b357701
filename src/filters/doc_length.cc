#include "filters/list.h"

namespace uzushio {
namespace {

class DocLength final : public MetricFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    return static_cast<double>(document.AliveLength());
  }
  std::vector<std::string> Reasons() const override {
    return {"DocLength.Low(" + std::to_string(low) + ")", "DocLength.High(" + std::to_string(high) + ")"};
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (metric < static_cast<double>(low)) return 0;
    if (metric > static_cast<double>(high)) return 1;
    return std::nullopt;
  }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "low", .removes = Removes::kBelow, .value = low},
                       {.parameter = "high", .removes = Removes::kAbove, .value = high}};
    return rule;
  }

  int64_t low = 0;
  int64_t high = INT32_MAX;
};

}  // namespace

FilterDeclaration DeclareDocLength() {
  return Declare<DocLength>("DocLength", "documents", "Removes documents that are too short or too long.")
      .Metric("DocLength", "code points of the text")
      .Bounds(int64_t{0}, INT64_MAX)
      .Done();
}

}  // namespace uzushio
