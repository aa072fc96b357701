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
    int64_t count = 0;
    for (size_t i = 0; i + 2 < text.size(); ++i) {
      const auto first = static_cast<unsigned char>(text[i]);
      const auto second = static_cast<unsigned char>(text[i + 1]);
      const auto third = static_cast<unsigned char>(text[i + 2]);
      const bool is = (second == 0x81) | ((second == 0x82) & (third <= 0x9F));
      count += static_cast<int64_t>((first == 0xE3) & is);
    }
    return count;
  }
};

}  // namespace

FilterDeclaration DeclareHiraganaRatio() {
  return Declare<HiraganaRatio>("HiraganaRatio", "documents",
                                "Removes documents of little hiragana, such as lists and advertisements.")
      .Metric("HiraganaRatio", "code points U+3040-309F / all")
      .Bounds(0.0, 1.0)
      .Done();
}

}  // namespace uzushio
