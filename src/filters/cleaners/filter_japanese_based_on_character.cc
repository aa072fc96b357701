#include "base/count_places.h"
#include "filters/cleaners/elements.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class FilterJapaneseBasedOnCharacter final : public ElementFilter {
 public:
  std::vector<std::string> Reasons() const override {
    return {"FilterJapaneseBasedOnCharacter(" + JavaNumber(kana_rate) + "," + JavaNumber(japanese_rate) + ")"};
  }
  std::string MetricKey() const override { return JavaNumber(kana_rate) + "," + JavaNumber(japanese_rate); }
  std::string Bound(size_t /*reason*/) const override {
    return "kana <= " + JavaNumber(kana_rate) + " or Japanese <= " + JavaNumber(japanese_rate);
  }
  bool Keeps(std::string_view text, double* metric) const override {
    const int64_t all = CodePoints(text);
    const int64_t kana = CountPlaces<1>(text, [](const char* at) {  // U+3040-30FF
      const SixteenBytes b = LoadBytes(at + 1);
      return (LoadBytes(at) == 0xE3) & (b >= 0x81) & (b <= 0x83);
    });
    const int64_t kanji = CountPlaces<1>(text, [](const char* at) {  // U+4E00-9FFF
      const SixteenBytes a = LoadBytes(at);
      return ((a == 0xE4) & (LoadBytes(at + 1) >= 0xB8)) | ((a >= 0xE5) & (a <= 0xE9));
    });
    *metric = Ratio(static_cast<double>(kana + kanji), static_cast<double>(all));
    return Ratio(static_cast<double>(kana), static_cast<double>(all)) > kana_rate && *metric > japanese_rate;
  }
  double kana_rate = 0.05;
  double japanese_rate = 0.7;
};

}  // namespace

FilterDeclaration DeclareFilterJapaneseBasedOnCharacter() {
  return Declare<FilterJapaneseBasedOnCharacter>(
             "FilterJapaneseBasedOnCharacter", "paragraphs",
             "Removes elements that are not Japanese according to their characters.")
      .Metric("FilterJapaneseBasedOnCharacter", "share of the text in such elements")
      .Float("kanaRate", &FilterJapaneseBasedOnCharacter::kana_rate, 0, 1,
             "elements with this share of hiragana and katakana (U+3040-30FF) or less are removed")
      .Float("jpRate", &FilterJapaneseBasedOnCharacter::japanese_rate, 0, 1,
             "the same for kana and kanji (U+4E00-9FFF)")
      .Done();
}

}  // namespace uzushio
