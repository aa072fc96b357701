#include <fmt/format.h>

#include "filters/cleaners/elements.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class FilterBySentenceLength final : public ElementFilter {
 public:
  arrow::Status Prepare() const {
    if (least <= most) return arrow::Status::OK();
    return arrow::Status::Invalid("min, ", least, ", is above max, ", most, ": every element would be removed");
  }
  std::vector<std::string> Reasons() const override {
    return {fmt::format("FilterBySentenceLength({},{})", least, most)};
  }
  std::string MetricKey() const override { return fmt::format("{},{}", least, most); }
  std::string Bound(size_t /*reason*/) const override { return fmt::format("< {} or > {}", least, most); }
  bool Keeps(std::string_view text, double* metric) const override {
    const int64_t length = CodePoints(text);
    *metric = static_cast<double>(length);
    return length >= least && length <= most;
  }
  int64_t least = 10;
  int64_t most = 200;
};

}  // namespace

FilterDeclaration DeclareFilterBySentenceLength() {
  return Declare<FilterBySentenceLength>("FilterBySentenceLength", "paragraphs",
                                         "Removes elements that are too short or too long.")
      .Metric("FilterBySentenceLength", "share of the text in such elements")
      .Int("min", &FilterBySentenceLength::least, 0, 1'000'000'000, "minimum number of characters of an element")
      .Int("max", &FilterBySentenceLength::most, 0, 2'000'000'000, "maximum number of characters of an element")
      .Done();
}

}  // namespace uzushio
