#include <fmt/format.h>

#include <algorithm>

#include "filters/list.h"

namespace uzushio {
namespace {

// Line breaks at its end begin none.
int64_t LinesOf(std::string_view text) {
  const size_t end = text.find_last_not_of('\n');
  if (end == std::string_view::npos) return 0;
  return 1 + std::ranges::count(text.substr(0, end), '\n');
}

class RemoveShortDocument final : public MetricFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    int64_t lines = 0;
    document.ForEachAlive([&lines](const FilterParagraph& element) { lines += LinesOf(element.plain); });
    return static_cast<double>(lines);
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (metric >= static_cast<double>(least)) return std::nullopt;
    return 0;
  }
  std::vector<std::string> Reasons() const override { return {fmt::format("RemoveShortDocument({})", least)}; }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "min", .removes = Removes::kBelow, .value = least}};
    return rule;
  }
  int64_t least = 5;
};

}  // namespace

FilterDeclaration DeclareRemoveShortDocument() {
  return Declare<RemoveShortDocument>("RemoveShortDocument", "documents", "Removes documents with few sentences.")
      .Metric("RemoveShortDocument", "lines of all elements")
      .Int("min", &RemoveShortDocument::least, 0, 1'000'000'000, "documents with fewer lines are removed")
      .Done();
}

}  // namespace uzushio
