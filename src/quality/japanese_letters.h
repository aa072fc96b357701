// Letters as the Swallow corpus counts them (Okazaki et al. 2024, section 3.2; quality.py of swallow-corpus).
#pragma once

#include <cstdint>
#include <string_view>

namespace uzushio {

constexpr bool IsHiragana(char32_t c) { return c >= U'ぁ' && c <= U'ゖ'; }
constexpr bool IsKatakana(char32_t c) { return c >= U'ァ' && c <= U'ヺ'; }
constexpr bool IsToten(char32_t c) { return c == U'、' || c == U'，'; }
constexpr bool IsKuten(char32_t c) { return c == U'。' || c == U'．' || c == U'！' || c == U'？'; }

// Beyond U+FFFF too, which the published code means but never sees: it looks for surrogates.
constexpr bool IsKanji(char32_t c) {
  return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x2FFFF) || c == U'々' ||
         c == U'〇' || c == U'〻';
}

struct JapaneseLetters {
  int64_t hiragana = 0;
  int64_t katakana = 0;
  int64_t kanji = 0;
  int64_t kuten = 0;
  int64_t toten = 0;

  int64_t all() const { return hiragana + katakana + kanji + kuten + toten; }
  void Add(char32_t c) {
    if (IsHiragana(c)) {
      ++hiragana;
    } else if (IsKatakana(c)) {
      ++katakana;
    } else if (IsKanji(c)) {
      ++kanji;
    } else if (IsToten(c)) {
      ++toten;
    } else if (IsKuten(c)) {
      ++kuten;
    }
  }
};

inline JapaneseLetters CountJapaneseLetters(std::u32string_view text) {
  JapaneseLetters letters;
  for (const char32_t c : text) letters.Add(c);
  return letters;
}

}  // namespace uzushio
