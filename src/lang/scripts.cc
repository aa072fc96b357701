#include "lang/scripts.h"

#include <array>
#include <bit>
#include <cstring>

namespace uzushio {
namespace {

// 1 for the ASCII letters and for what begins a character of two bytes from U+00C0.
constexpr std::array<uint8_t, 256> kShortLetter = [] {
  std::array<uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<size_t>(c)] = table[static_cast<size_t>(c - 0x20)] = 1;
  for (size_t c = 0xC3; c <= 0xDF; ++c) table[c] = 1;
  return table;
}();

// The number of ASCII letters among eight ASCII bytes: those which, as lower case, are at least `a` and at most `z`
// carry into their highest bits.
int64_t CountAsciiLetters(uint64_t word) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t lower = word | 0x20 * kOnes;
  const uint64_t from_a = lower + (0x80 - 'a') * kOnes;
  const uint64_t above_z = lower + (0x80 - 'z' - 1) * kOnes;
  return std::popcount(from_a & ~above_z & (0x80 * kOnes));
}

}  // namespace

void CountScripts(std::string_view utf8, ScriptCounts* counts) {
  int64_t kana = 0;
  int64_t letters = 0;
  const auto* at = reinterpret_cast<const unsigned char*>(utf8.data());
  const auto* const end = at + utf8.size();
  while (at < end) {
    while (end - at >= 8) {
      uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      if ((word & 0x8080808080808080) != 0) break;
      letters += CountAsciiLetters(word);
      at += 8;
    }
    if (at == end) break;
    if (*at < 0xE0 || end - at < 3) {
      letters += kShortLetter[*at];
      ++at;
      continue;
    }
    if (*at >= 0xF0) {
      ++letters;
      at += 4;
      continue;
    }
    const unsigned code = (*at & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
    const bool is_kana = (code >= 0x3041 && code <= 0x3096) || (code >= 0x30A1 && code <= 0x30FA) || code == 0x30FC;
    const bool punctuation = (code >= 0x2000 && code < 0x2C00) || (code >= 0x3000 && code <= 0x303F) ||
                             (code >= 0xFE00 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF20);
    kana += is_kana ? 1 : 0;
    letters += punctuation ? 0 : 1;
    at += 3;
  }
  counts->kana += kana;
  counts->letters += letters;
}

}  // namespace uzushio
