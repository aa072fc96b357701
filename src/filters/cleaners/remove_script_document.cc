#include "filters/list.h"

namespace uzushio {
namespace {

class RemoveScriptDocument final : public MetricFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    int64_t with = 0;
    document.ForEachAlive([&with](const FilterParagraph& element) {
      with += element.plain.find_first_of("{|}") != std::string_view::npos ? 1 : 0;
    });
    return static_cast<double>(with);
  }
  std::optional<size_t> Decide(double metric, const FilterDocument& /*document*/) const override {
    if (metric == 0) return std::nullopt;
    return 0;
  }
  std::vector<std::string> Reasons() const override { return {"RemoveScriptDocument"}; }
  std::string Bound(size_t /*reason*/) const override { return "> 0"; }
};

}  // namespace

FilterDeclaration DeclareRemoveScriptDocument() {
  return Declare<RemoveScriptDocument>("RemoveScriptDocument", "documents",
                                       "Removes documents that have {, } or |, which are taken for code.")
      .Metric("RemoveScriptDocument", "elements that have one")
      .Done();
}

}  // namespace uzushio
