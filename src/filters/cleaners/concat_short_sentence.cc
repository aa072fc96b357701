#include "filters/cleaners/elements.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class ConcatShortSentence final : public RewritingFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    int64_t short_ones = 0;
    bool is_first = true;
    document.ForEachAlive([&](const FilterParagraph& element) {
      short_ones += !is_first && IsShort(element.plain) ? 1 : 0;
      is_first = false;
    });
    return static_cast<double>(short_ones);
  }

  void Change(FilterDocument* document, int /*place*/, FilterScratch* scratch) const override {
    if (Measure(*document, scratch) == 0) return;
    std::vector<FilterParagraph> elements;
    std::string& text = scratch->text;
    text.clear();  // of the last element that is alive, where short ones were appended
    size_t last = 0;
    bool any = false;
    const auto keep = [&] {
      if (text.empty()) return;
      elements[last].plain = elements[last].marked = document->Keep(text);
      text.clear();
    };
    for (const FilterParagraph& element : document->paragraphs()) {
      if (element.alive() && any && IsShort(element.plain)) {
        if (text.empty()) text = elements[last].plain;
        text += element.plain;
        continue;
      }
      if (element.alive()) {
        keep();
        last = elements.size();
        any = true;
      }
      elements.push_back(element);
    }
    keep();
    document->Replace(std::move(elements));
  }
  std::string MetricKey() const override { return std::to_string(most); }
  std::vector<std::string> Reasons() const override { return {"ConcatShortSentence"}; }

  int64_t most = 2;

 private:
  bool IsShort(std::string_view text) const {
    return text.size() <= 4 * static_cast<size_t>(most) && CodePoints(text) <= most;
  }
};

}  // namespace

FilterDeclaration DeclareConcatShortSentence() {
  return Declare<ConcatShortSentence>("ConcatShortSentence", "rewrites",
                                      "Appends short elements to the preceding one; the first element is kept.")
      .Metric("ConcatShortSentence", "appended elements")
      .Int("concatThr", &ConcatShortSentence::most, 0, 1'000'000'000, "maximum number of characters of a short element")
      .Done();
}

}  // namespace uzushio
