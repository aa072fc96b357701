#include <array>

#include "base/utf8.h"
#include "filters/list.h"
#include "filters/marked_text.h"
#include "quality/japanese_letters.h"

namespace uzushio {
namespace {

// All four are three bytes in UTF-8.
struct Mark {
  char32_t japanese;
  char32_t western;
  std::string_view bytes;  // of the Japanese one
};
constexpr std::array<Mark, 2> kMarks = {{{U'、', U'，', "、"}, {U'。', U'．', "。"}}};

// What a mark of a Japanese sentence comes after.
bool IsJapanese(char32_t c) {
  constexpr std::u32string_view kClosing = U"）」』］〕】〉》";
  return IsHiragana(c) || IsKatakana(c) || IsKanji(c) || kClosing.find(c) != std::u32string_view::npos;
}

bool IsWideDigitOrLatin(char32_t c) {
  return (c >= U'０' && c <= U'９') || (c >= U'Ａ' && c <= U'Ｚ') || (c >= U'ａ' && c <= U'ｚ');
}

// Runs of each mark after Japanese text, over a document.
struct Uses {
  std::array<int64_t, 2> japanese{};
  std::array<int64_t, 2> western{};

  void Count(std::u32string_view text) {
    for (size_t i = 1; i < text.size(); ++i) {
      for (size_t k = 0; k < kMarks.size(); ++k) {
        if (text[i] != kMarks[k].japanese && text[i] != kMarks[k].western) continue;
        if (IsJapanese(text[i - 1])) ++(text[i] == kMarks[k].japanese ? japanese : western)[k];
      }
    }
  }
};

class NormalizePunctuation final : public RewritingFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* scratch) const override {
    if (!HasWesternMarks(document)) return 0;
    const Uses uses = CountUses(document, scratch);
    int64_t changed = 0;
    bool is_first = true;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      changed += Rewritten(paragraph.plain, uses, is_first, scratch) > 0 ? 1 : 0;
      is_first = false;
    });
    return static_cast<double>(changed);
  }

  void Change(FilterDocument* document, int /*place*/, FilterScratch* scratch) const override {
    if (!HasWesternMarks(*document)) return;
    const Uses uses = CountUses(*document, scratch);
    bool is_first = true;
    for (FilterParagraph& paragraph : document->paragraphs()) {
      if (!paragraph.alive()) continue;
      if (Rewritten(paragraph.plain, uses, is_first, scratch) > 0) {
        paragraph.marked = document->Keep(WithMarksOf(paragraph.marked, paragraph.plain, scratch->text));
        paragraph.plain = document->Keep(scratch->text);
      }
      is_first = false;
    }
  }

 private:
  // Most documents have none, and nothing to be changed.
  static bool HasWesternMarks(const FilterDocument& document) {
    bool found = false;
    document.ForEachAlive([&found](const FilterParagraph& paragraph) {
      found = found || paragraph.plain.find("，") != std::string_view::npos ||
              paragraph.plain.find("．") != std::string_view::npos;
    });
    return found;
  }

  static Uses CountUses(const FilterDocument& document, FilterScratch* scratch) {
    Uses uses;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      scratch->points.clear();
      DecodeUtf8(paragraph.plain, &scratch->points);
      uses.Count(scratch->points);
    });
    return uses;
  }

  // Sets scratch->text; the marks that are other ones in it. A mark after a digit or letter of full width, or with
  // nothing before it in the document, stays.
  static size_t Rewritten(std::string_view plain, const Uses& uses, bool is_first, FilterScratch* scratch) {
    const bool toten = uses.japanese[0] < uses.western[0];
    const bool kuten = uses.japanese[1] < uses.western[1];
    if (!toten && !kuten) return 0;
    std::u32string& points = scratch->points;
    points.clear();
    DecodeUtf8(plain, &points);
    scratch->text = plain;
    size_t at = 0;  // in bytes
    size_t changed = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const char32_t c = points[i];
      for (size_t k = 0; k < kMarks.size(); ++k) {
        if (c != kMarks[k].western || !(k == 0 ? toten : kuten)) continue;
        const bool spared = i == 0 ? is_first : IsWideDigitOrLatin(points[i - 1]);
        if (spared) continue;
        scratch->text.replace(at, kMarks[k].bytes.size(), kMarks[k].bytes);
        ++changed;
      }
      at += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    }
    return changed;
  }
};

}  // namespace

FilterDeclaration DeclareNormalizePunctuation() {
  return Declare<NormalizePunctuation>("NormalizePunctuation", "rewrites",
                                       "Replaces ， and ． by 、 and 。 if ， and ． are more frequent after Japanese "
                                       "text; they are kept after digits and full-width letters.")
      .Metric("NormalizePunctuation", "changed paragraphs")
      .Done();
}

}  // namespace uzushio
