// Texts as models are trained on them: NFKC, lower case, their beginnings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace uzushio {

// Sets `to` to the text in NFKC (Unicode Standard, 3.11), by utf8proc. The text is valid UTF-8. What Japanese text is
// mostly of, which stays as it is, is copied.
void NormalizeNfkc(std::string_view text, std::string* to);

// Sets `to` to the text in lower case, letter by letter: İ is i, and Σ is σ at the end of a word, too.
void LowerCase(std::string_view text, std::string* to);

// The first characters of a text, which is valid UTF-8.
std::string_view FirstCharacters(std::string_view text, int64_t characters);

}  // namespace uzushio
