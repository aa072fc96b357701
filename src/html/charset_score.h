// How well bytes are explained by an encoding, to compare encodings by.
#pragma once

#include <cstdint>
#include <string_view>

#include "html/encoding.h"

namespace uzushio {

// About how many bits the bytes take when they are written as text in this encoding: fewer for what is frequent in the
// languages that it is used for (kana, the most frequent kanji and hangul, accented letters between letters), more for
// what is rare in them (kanji of the second level, half-width katakana among others, scripts mixed in a word, one kanji
// between letters, capital letters within a word, symbols, controls, private use), most for what does not decode.
// Encodings of the same bytes can be compared; the smaller is the likelier.
int64_t BitsOfText(const Encoding& encoding, std::string_view bytes);

}  // namespace uzushio
