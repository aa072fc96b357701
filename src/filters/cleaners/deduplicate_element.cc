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
                                     "Of equal elements of all documents of a run, the first stays. It reads the "
                                     "documents once more; `filter` and `clean` have it.")
      .Metric("DeduplicateElement", "share of the text that such elements are")
      .Done();
}

}  // namespace uzushio
