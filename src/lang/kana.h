// Counting kana.
#pragma once

#include <cstddef>
#include <string_view>

namespace uzushio {

// The number of kana in UTF-8 text: hiragana U+3041-3096 and katakana U+30A1-30FA, U+30FC. Stops counting at `enough`,
// and may then return a little more.
size_t CountKana(std::string_view utf8, size_t enough);

// The number of kana written as decimal or hexadecimal character references in markup. Stops at `enough`.
size_t CountKanaReferences(std::string_view markup, size_t enough);

}  // namespace uzushio
