#include "filters/list.h"

namespace uzushio {
namespace {

class MainContent final : public ParagraphFilter {
 public:
  void Change(FilterDocument* document, int place, FilterScratch* /*scratch*/) const override {
    for (FilterParagraph& paragraph : document->paragraphs()) {
      if (!paragraph.alive() || paragraph.content_score() >= low) continue;
      paragraph.removed_by = place;
      paragraph.metric = paragraph.content_score();
    }
  }
  std::string MetricKey() const override { return JavaNumber(low); }
  std::vector<std::string> Reasons() const override { return {"MainContent(" + JavaNumber(low) + ")"}; }
  std::string Bound(size_t /*reason*/) const override { return "score < " + JavaNumber(low); }

  double low = 0.5;
};

}  // namespace

FilterDeclaration DeclareMainContent() {
  return Declare<MainContent>("MainContent", "paragraphs",
                              "Removes paragraphs that are not main content, by the scores of `extract "
                              "--mark-boilerplate`. Paragraphs without a score are kept.")
      .Metric("MainContent", "share of the text in such paragraphs")
      .Float("low", &MainContent::low, 0, 1, "paragraphs with a score below this are removed")
      .Done();
}

}  // namespace uzushio
