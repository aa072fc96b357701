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
                                   "Removes documents with too little or too much main content, by the scores of "
                                   "`extract --mark-boilerplate`.")
      .Metric("MainContentRatio", "code points in main content paragraphs / all")
      .Float("content", &MainContentRatio::content, 0, 1,
             "paragraphs with this score or more, or without a score, are main content")
      .Bounds(0.0, 1.0)
      .Done();
}

}  // namespace uzushio
