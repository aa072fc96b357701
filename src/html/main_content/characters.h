// Characters of UTF-8, one after another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace uzushio {

// Takes a character of more than one byte off the text, of any length. What is cut off at the end is taken as it is.
inline char32_t TakeAnyCharacter(std::string_view* text) {
  const auto byte = [&](size_t i) -> char32_t {
    return i < text->size() ? static_cast<unsigned char>((*text)[i]) & 0x3FU : 0U;
  };
  const auto first = static_cast<unsigned char>(text->front());
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  char32_t c = first & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) c = c << 6U | byte(i);
  text->remove_prefix(std::min(length, text->size()));
  return c;
}

// Likewise; those of three bytes, nearly all of Japanese, without a call.
[[gnu::always_inline]] inline char32_t TakeCharacter(std::string_view* text) {
  if (text->size() < 3 || (static_cast<unsigned char>(text->front()) & 0xF0U) != 0xE0) return TakeAnyCharacter(text);
  const auto byte = [&](size_t i) -> char32_t { return static_cast<unsigned char>((*text)[i]); };
  const char32_t c = (byte(0) & 0xFU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  text->remove_prefix(3);
  return c;
}

}  // namespace uzushio
