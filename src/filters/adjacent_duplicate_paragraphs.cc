#include "filters/list.h"

namespace uzushio {
namespace {

class AdjacentDuplicateParagraphs final : public ParagraphFilter {
 public:
  void Change(FilterDocument* document, int place, FilterScratch* /*scratch*/) const override {
    const FilterParagraph* before = nullptr;
    for (FilterParagraph& paragraph : document->paragraphs()) {
      if (!paragraph.alive()) continue;
      if (before != nullptr && before->plain == paragraph.plain) {
        paragraph.removed_by = place;
        paragraph.metric = 1;
      } else {
        before = &paragraph;
      }
    }
  }
  std::vector<std::string> Reasons() const override { return {"AdjacentDuplicateParagraphs"}; }
};

}  // namespace

FilterDeclaration DeclareAdjacentDuplicateParagraphs() {
  return Declare<AdjacentDuplicateParagraphs>("AdjacentDuplicateParagraphs", "paragraphs",
                                              "Keeps only the first of consecutive equal paragraphs.")
      .Metric("AdjacentDuplicateParagraphs", "share of the text that repeats the preceding paragraph")
      .Done();
}

}  // namespace uzushio
