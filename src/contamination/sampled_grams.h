// The n-grams of a text that an index keeps: winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms
// for document fingerprinting", 2003).
//
// Of every kWindow consecutive n-grams, the one of the smallest hash is taken. Two texts that share a run of kRun codes
// therefore share an n-gram that both take. About 2 of kWindow + 1 n-grams are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace uzushio {

inline constexpr size_t kGram = 8;    // codes of an n-gram
inline constexpr size_t kWindow = 5;  // n-grams of which one is taken
inline constexpr size_t kRun = kGram + kWindow - 1;

// The hash of the n-gram that begins here; its kGram bytes can be read.
inline uint64_t GramHash(const char* codes) {
  static_assert(kGram == sizeof(uint64_t));
  uint64_t hash = 0;
  std::memcpy(&hash, codes, sizeof hash);
  hash *= 0x9E3779B97F4A7C15U;
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93U;
  return hash ^ hash >> 29;
}

// Calls `use(place, hash)` for each n-gram that is taken, in order of places. Takes time in proportion to the text.
template <typename Use>
void ForEachSampledGram(std::string_view codes, Use use) {
  if (codes.size() < kRun) return;
  const size_t grams = codes.size() - kGram + 1;
  size_t least = 0;
  uint64_t least_hash = GramHash(codes.data());
  bool is_new = true;  // since the last call
  for (size_t at = 1; at < grams; ++at) {
    const uint64_t hash = GramHash(codes.data() + at);
    if (hash < least_hash) {
      least = at;
      least_hash = hash;
      is_new = true;
    } else if (at - least == kWindow) {  // it left the window; of equal ones the last is taken, so that few are
      least = at;
      least_hash = hash;
      for (size_t i = at - 1; i > at - kWindow; --i) {
        const uint64_t other = GramHash(codes.data() + i);
        if (other >= least_hash) continue;
        least = i;
        least_hash = other;
      }
      is_new = true;
    }
    if (is_new && at + 1 >= kWindow) {
      use(least, least_hash);
      is_new = false;
    }
  }
}

}  // namespace uzushio
