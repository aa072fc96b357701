// UTF-8 text: validity, prefixes and white space. All functions accept any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace uzushio {

bool IsValidUtf8(std::string_view text);

// The characters of valid UTF-8.
int64_t CodePoints(std::string_view text);

// The bytes of the character that begins with this byte; 1 for what begins none.
constexpr size_t Utf8Length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The character of so many bytes that valid UTF-8 begins with.
constexpr char32_t PointAt(std::string_view text, size_t bytes) {
  char32_t point = static_cast<unsigned char>(text[0]);
  if (bytes > 1) point &= 0x7FU >> bytes;
  for (size_t i = 1; i < bytes; ++i) point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return point;
}

// The longest prefix of at most `max_bytes` bytes that does not end inside a character.
inline std::string_view Utf8Prefix(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// The number of bytes of the white space character above U+00A0 at the start of `text`, or 0. White space is what
// separates words in Unicode (categories Zs, Zl, Zp) and may be broken at: U+1680, U+2000-2006, U+2008-200A,
// U+2028, U+2029, U+205F, U+3000. (Java's Character.isWhitespace, which the original Uzushio strips lines by.)
inline size_t WideSpacePrefix(std::string_view text) {
  if (text.size() < 3) return 0;
  const auto a = static_cast<unsigned char>(text[0]);
  const auto b = static_cast<unsigned char>(text[1]);
  const auto c = static_cast<unsigned char>(text[2]);
  if (a == 0xE3) return b == 0x80 && c == 0x80 ? 3 : 0;
  if (a == 0xE2 && b == 0x80) return (c >= 0x80 && c <= 0x8A && c != 0x87) || c == 0xA8 || c == 0xA9 ? 3 : 0;
  if (a == 0xE2) return b == 0x81 && c == 0x9F ? 3 : 0;
  return a == 0xE1 && b == 0x9A && c == 0x80 ? 3 : 0;
}

// The same for the end of `text`.
inline size_t WideSpaceSuffix(std::string_view text) {
  return text.size() < 3 ? 0 : WideSpacePrefix(text.substr(text.size() - 3));
}

// Appends the code points of `text` to `points`. Each byte that is no part of valid UTF-8 is U+FFFD.
inline void DecodeUtf8(std::string_view text, std::u32string* points) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  const auto is_tail = [&](std::ptrdiff_t i) { return end - at > i && (at[i] & 0xC0) == 0x80; };
  size_t size = points->size();
  points->resize(size + text.size());
  char32_t* out = points->data();
  while (at != end) {
    const char32_t first = *at;
    char32_t point = 0xFFFD;
    std::ptrdiff_t length = 1;
    if (first < 0x80) {
      point = first;
    } else if (first >= 0xE0 && first < 0xF0 && is_tail(1) && is_tail(2)) {
      const char32_t value = (first & 0x0F) << 12 | (at[1] & 0x3FU) << 6 | (at[2] & 0x3FU);
      if (value >= 0x800 && (value < 0xD800 || value > 0xDFFF)) point = value, length = 3;
    } else if (first >= 0xC2 && first < 0xE0 && is_tail(1)) {
      point = (first & 0x1F) << 6 | (at[1] & 0x3FU);
      length = 2;
    } else if (first >= 0xF0 && first < 0xF5 && is_tail(1) && is_tail(2) && is_tail(3)) {
      const char32_t value = (first & 0x07) << 18 | (at[1] & 0x3FU) << 12 | (at[2] & 0x3FU) << 6 | (at[3] & 0x3FU);
      if (value >= 0x10000 && value <= 0x10FFFF) point = value, length = 4;
    }
    out[size++] = point;
    at += length;
  }
  points->resize(size);
}

}  // namespace uzushio
