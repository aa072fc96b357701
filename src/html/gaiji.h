// Characters that a text names, since its charset lacks them.
#pragma once

#include <string>
#include <string_view>

namespace uzushio {

// The character that a note of Aozora Bunko names, `※(「需＋頁」、第3水準1-94-6)` or
// `※［＃「てへん＋丑」、U+6271、123-4］`: by its plane, row and cell in JIS X 0213, by its code point, or, of a letter
// with an accent, by the names of both. Empty where there is none. (Aozora Bunko's manual of notes, on characters
// outside of JIS X 0208.)
std::string CharacterOfNote(std::string_view note);

}  // namespace uzushio
