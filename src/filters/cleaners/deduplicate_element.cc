#include "filters/list.h"
#include "filters/repeats.h"

namespace uzushio {
namespace {

class DeduplicateElement final : public ParagraphFilter {
 public:
  bool compares_documents() const override { return true; }
  void Change(FilterDocument* document, int place, FilterScratch* scratch) const override {
    for (FilterParagraph& element : document->paragraphs()) {
      if (!element.alive() || !scratch->repeats->Next(static_cast<size_t>(place))) continue;
      element.removed_by = place;
      element.metric = 1;
    }
  }
  std::vector<std::string> Reasons() const override { return {"DeduplicateElement"}; }
};

}  // namespace

FilterDeclaration DeclareDeduplicateElement() {
  return Declare<DeduplicateElement>("DeduplicateElement", "paragraphs",
                                     "Keeps only the first of equal elements in all documents of a run. It reads the "
                                     "documents once more; available in `filter` and `clean`.")
      .Metric("DeduplicateElement", "share of the text in such elements")
      .Done();
}

}  // namespace uzushio
