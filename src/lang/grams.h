// n-grams of characters, for n from 1 to 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "document/markup.h"

namespace uzushio {

// An n-gram as a number: 21 bits a character, its code point and one; the last character lowest. No two have the same.
inline constexpr int kGramBits = 21;
constexpr uint64_t GramMask(int length) { return (uint64_t{1} << (kGramBits * length)) - 1; }

// The number of characters of an n-gram, or 0 where a number is none.
constexpr int GramLength(uint64_t gram) {
  constexpr uint64_t kMost = 0x10FFFF + 1;
  int length = 0;
  for (; gram != 0; gram >>= kGramBits, ++length) {
    const uint64_t point = gram & GramMask(1);
    if (point == 0 || point > kMost || length == 3) return 0;
  }
  return length;
}

// Gives the n-grams of a text that comes in parts, which may be cut anywhere between characters.
class GramReader {
 public:
  // Calls `use(character, pair, triple)` at each character but marks, with the n-grams that end there: 0 where the
  // text has not yet so many characters. A byte that is no part of valid UTF-8 is U+FFFD.
  template <typename Use>
  void Read(std::string_view part, Use use) {
    const auto* at = reinterpret_cast<const unsigned char*>(part.data());
    const auto* const end = at + part.size();
    while (at != end) {
      const uint64_t point = Next(&at, end);
      if (point < kIsMark.size() && kIsMark[point]) continue;
      last_ = (last_ << kGramBits | (point + 1)) & GramMask(3);
      ++characters_;
      use(last_ & GramMask(1), characters_ > 1 ? last_ & GramMask(2) : 0, characters_ > 2 ? last_ : 0);
    }
  }

  // n-grams so far.
  int64_t grams() const { return characters_ > 1 ? 3 * characters_ - 3 : characters_; }

 private:
  static uint64_t Next(const unsigned char** at, const unsigned char* end) {
    const unsigned char* const text = *at;
    const uint64_t first = *text;
    if (first < 0x80) {
      *at += 1;
      return first;
    }
    const auto is_tail = [&](std::ptrdiff_t i) { return end - text > i && (text[i] & 0xC0) == 0x80; };
    const auto tail = [&](std::ptrdiff_t i) { return uint64_t{text[i]} & 0x3F; };
    if (first >= 0xE0 && first < 0xF0 && is_tail(1) && is_tail(2)) {
      const uint64_t value = (first & 0x0F) << 12 | tail(1) << 6 | tail(2);
      if (value >= 0x800 && (value < 0xD800 || value > 0xDFFF)) {
        *at += 3;
        return value;
      }
    } else if (first >= 0xC2 && first < 0xE0 && is_tail(1)) {
      *at += 2;
      return (first & 0x1F) << 6 | tail(1);
    } else if (first >= 0xF0 && first < 0xF5 && is_tail(1) && is_tail(2) && is_tail(3)) {
      const uint64_t value = (first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
      if (value >= 0x10000 && value <= 0x10FFFF) {
        *at += 4;
        return value;
      }
    }
    *at += 1;
    return 0xFFFD;
  }

  uint64_t last_ = 0;
  int64_t characters_ = 0;
};

}  // namespace uzushio
