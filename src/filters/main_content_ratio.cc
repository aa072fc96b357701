#include "filters/list.h"

namespace uzushio {
namespace {

class MainContentRatio final : public BoundedFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    int64_t inside = 0;
    int64_t all = 0;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      const int64_t points = CodePoints(paragraph.plain);
      all += points;
      if (paragraph.content_score() >= content) inside += points;
    });
    return Ratio(static_cast<double>(inside), static_cast<double>(all));
  }
  std::string MetricKey() const override { return JavaNumber(content); }

  double content = 0.5;

 protected:
  std::string ReasonName() const override { return "MainContentRatio(" + JavaNumber(content) + ")"; }
};

}  // namespace

FilterDeclaration DeclareMainContentRatio() {
  return Declare<MainContentRatio>("MainContentRatio", "documents",
                                   "Removes documents that have too little main content, or too much, by the scores "
                                   "that `extract --mark-boilerplate` writes.")
      .Metric("MainContentRatio", "code points in paragraphs that are main content / all")
      .Float("content", &MainContentRatio::content, 0, 1,
             "score from which a paragraph is main content; without one, it is")
      .Bounds(0.0, 1.0)
      .Done();
}

}  // namespace uzushio
