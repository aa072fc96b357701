#include "filters/frequent_runs.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class LargeFreqParagraphs final : public ParagraphFilter {
 public:
  void Change(FilterDocument* document, int place, FilterScratch* /*scratch*/) const override {
    const std::span<FilterParagraph> paragraphs = document->paragraphs();
    RemoveBadRuns(
        paragraphs, static_cast<size_t>(count), [&](size_t i) { return paragraphs[i].near_freq >= freq; },
        [&](size_t i) {
          paragraphs[i].removed_by = place;
          paragraphs[i].metric = paragraphs[i].near_freq;
        });
  }
  std::string MetricKey() const override { return std::to_string(count) + "," + std::to_string(freq); }
  std::vector<std::string> Reasons() const override { return {"LargeFreqParagraphs(" + MetricKey() + ")"}; }
  std::string Bound(size_t /*reason*/) const override {
    return "nearFreq >= " + std::to_string(freq) + ", " + std::to_string(count) + " in a row";
  }

  int64_t count = 3;
  int64_t freq = 100;
};

}  // namespace

FilterDeclaration DeclareLargeFreqParagraphs() {
  return Declare<LargeFreqParagraphs>("LargeFreqParagraphs", "paragraphs",
                                      "Removes runs of frequent paragraphs: navigation, headers, footers.")
      .Metric("LargeFreqParagraphs", "share of the text in such paragraphs")
      .Int("count", &LargeFreqParagraphs::count, 1, INT32_MAX,
           "minimum length of a run; the ends of a page count as frequent")
      .Int("freq", &LargeFreqParagraphs::freq, 1, INT32_MAX, "paragraphs with this nearFreq or more are frequent")
      .Done();
}

}  // namespace uzushio
