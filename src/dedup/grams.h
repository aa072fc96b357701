// Hashes of n-grams of code points.
#pragma once

#include <cstdint>
#include <string_view>

namespace uzushio {

// A bijection of 64-bit values that spreads every bit (Stafford's variant 13 of MurmurHash3's finaliser).
constexpr uint64_t Mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// n-grams of up to three code points are their own 64-bit number, one of four is hashed: two different n-grams have
// equal hashes with a probability of 2^-64.
constexpr uint64_t Pack3(char32_t a, char32_t b, char32_t c) {
  return uint64_t{a} << 42 | uint64_t{b} << 21 | uint64_t{c};
}
constexpr uint64_t HashGram3(char32_t a, char32_t b, char32_t c) { return Mix64(Pack3(a, b, c)); }
constexpr uint64_t HashGram4(char32_t a, char32_t b, char32_t c, char32_t d) {
  return Mix64(HashGram3(a, b, c) + 0x9e3779b97f4a7c15 * (uint64_t{d} + 1));
}

// Calls `use` with the hash of each 3-gram and 4-gram, in order of their ends; ends early when `use` returns false.
template <typename Use>
void ForEachGram(std::u32string_view text, Use use) {
  uint64_t previous3 = 0;
  for (size_t i = 2; i < text.size(); ++i) {
    const uint64_t gram3 = HashGram3(text[i - 2], text[i - 1], text[i]);
    if (!use(gram3)) return;
    if (i >= 3) {
      if (!use(Mix64(previous3 + 0x9e3779b97f4a7c15 * (uint64_t{text[i]} + 1)))) return;
    }
    previous3 = gram3;
  }
}

}  // namespace uzushio
