#include "filters/list.h"

namespace uzushio {
namespace {

// Of the three, which follow one another. Without a branch for each byte.
bool HasBracketOrBar(std::string_view text) {
  static_assert('|' == '{' + 1 && '}' == '{' + 2);
  int found = 0;
  for (const char c : text) found |= static_cast<unsigned char>(c - '{') <= 2 ? 1 : 0;
  return found != 0;
}

class RemoveScriptDocument final : public MetricFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    int64_t with = 0;
    document.ForEachAlive([&with](const FilterParagraph& element) { with += HasBracketOrBar(element.plain) ? 1 : 0; });
    return static_cast<double>(with);
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (metric == 0) return std::nullopt;
    return 0;
  }
  std::vector<std::string> Reasons() const override { return {"RemoveScriptDocument"}; }
  RemovalRule Rule() const override {
    RemovalRule rule;
    rule.thresholds = {{.parameter = "", .removes = Removes::kAbove, .value = int64_t{0}}};
    return rule;
  }
};

}  // namespace

FilterDeclaration DeclareRemoveScriptDocument() {
  return Declare<RemoveScriptDocument>("RemoveScriptDocument", "documents",
                                       "Removes documents that contain {, } or |, as code does.")
      .Metric("RemoveScriptDocument", "elements that contain one")
      .Done();
}

}  // namespace uzushio
