// How much of a text is in which script.
#pragma once

#include <cstdint>
#include <string_view>

namespace uzushio {

// Numbers of letters of a text.
struct ScriptCounts {
  int64_t kana = 0;     // hiragana and katakana, as in lang/kana.h
  int64_t letters = 0;  // of any script, kana and ideographs included

  double kana_share() const { return letters == 0 ? 0 : static_cast<double>(kana) / static_cast<double>(letters); }
};

// Counts the letters of UTF-8 text. Letters are told by blocks: A-Z, a-z, U+00C0-1FFF, and from U+2C00 on all but
// U+3000-303F (CJK punctuation), U+FE00-FE6F and U+FF00-FF20 (punctuation forms).
void CountScripts(std::string_view utf8, ScriptCounts* counts);

}  // namespace uzushio
