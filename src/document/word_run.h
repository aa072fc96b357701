// Words that are written together, found eight bytes at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace uzushio {

// A word of eight bytes that are all `byte`.
constexpr uint64_t Eight(uint8_t byte) { return byte * uint64_t{0x0101010101010101}; }

// The highest bit of each byte of `word` that is zero. (Exact, as in "Hacker's Delight", section 6-1.)
constexpr uint64_t Zeros(uint64_t word) { return ~(((word & Eight(0x7F)) + Eight(0x7F)) | word) & Eight(0x80); }

// How many bits of those are set.
constexpr size_t CountOf(uint64_t bits) { return static_cast<size_t>((bits >> 7) * Eight(1) >> 56); }

struct WordRun {
  const char* end;
  size_t spaces;  // in it
};

// The bytes from `at` on that may be written as they are: up to the first white space (bytes up to U+0020), but for a
// space between what is none, or to the first byte that is `kStop`. A space may be the last of them.
template <uint8_t kStop = 0>
inline WordRun ReadWords(const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t space_before = 0x80;
  size_t count = 0;
  for (; end - at >= 8; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    const uint64_t white = ~(((word & Eight(0x7F)) + Eight(0x7F - 0x20)) | word) & Eight(0x80);
    const uint64_t spaces = Zeros(word ^ Eight(' '));
    uint64_t flagged = (white ^ spaces) | (spaces & (spaces << 8 | space_before));
    if constexpr (kStop > ' ') flagged |= Zeros(word ^ Eight(kStop));
    if (flagged != 0) {
      const uint64_t before = (flagged & -flagged) - 1;
      return {at + std::countr_zero(flagged) / 8, count + CountOf(spaces & before)};
    }
    count += CountOf(spaces);
    space_before = spaces >> 56;
  }
  bool after_space = space_before != 0;
  for (; at < end; ++at) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < ' ' || (kStop > ' ' && byte == kStop) || (byte == ' ' && after_space)) break;
    after_space = byte == ' ';
    count += after_space ? 1 : 0;
  }
  return {at, count};
}

}  // namespace uzushio
