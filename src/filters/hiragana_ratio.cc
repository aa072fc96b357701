#include "base/count_places.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class HiraganaRatio final : public BoundedFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    int64_t hiragana = 0;
    int64_t all = 0;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      all += CodePoints(paragraph.plain);
      hiragana += CountHiragana(paragraph.plain);
    });
    return Ratio(static_cast<double>(hiragana), static_cast<double>(all));
  }

 protected:
  std::string ReasonName() const override { return "HiraganaRatio"; }

 private:
  // U+3040-309F: E3 81 80 to E3 82 9F.
  static int64_t CountHiragana(std::string_view text) {
    return CountPlaces<2>(text, [](const char* at) {
      const SixteenBytes second = LoadBytes(at + 1);
      const auto is = (second == 0x81) | ((second == 0x82) & (LoadBytes(at + 2) <= 0x9F));
      return (LoadBytes(at) == 0xE3) & is;
    });
  }
};

}  // namespace

FilterDeclaration DeclareHiraganaRatio() {
  return Declare<HiraganaRatio>("HiraganaRatio", "documents",
                                "Removes documents with little hiragana, such as lists and advertisements.")
      .Metric("HiraganaRatio", "code points U+3040-309F / all")
      .Bounds(0.0, 1.0)
      .Done();
}

}  // namespace uzushio
