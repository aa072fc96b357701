// The n-grams of a text that an index keeps: winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms
// for document fingerprinting", 2003).
//
// Of every kWindow consecutive n-grams, the one of the smallest hash is taken. Two texts that share a run of kRun codes
// therefore share an n-gram that both take. About 2 of kWindow + 1 n-grams are taken.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/machine.h"

namespace uzushio {

inline constexpr size_t kGram = 8;    // codes of an n-gram
inline constexpr size_t kWindow = 5;  // n-grams of which one is taken
inline constexpr size_t kRun = kGram + kWindow - 1;

inline constexpr uint64_t kFirstFactor = 0x9E3779B97F4A7C15U;
inline constexpr uint64_t kSecondFactor = 0xD6E8FEB86659FD93U;

// The hash of the n-gram that begins here; its kGram bytes can be read.
inline uint64_t GramHash(const char* codes) {
  static_assert(kGram == sizeof(uint64_t));
  uint64_t hash = 0;
  std::memcpy(&hash, codes, sizeof hash);
  hash *= kFirstFactor;
  hash ^= hash >> 32;
  hash *= kSecondFactor;
  return hash ^ hash >> 29;
}

// The least n-grams of some consecutive windows. n-grams are compared by keys: their hashes, whose last bits are made
// places, the last of which is the least. So keys are different, and tell where the least one is.
struct LeastGrams {
  static constexpr size_t kMost = 256;  // windows
  static constexpr uint64_t kPlaces = 511;
  static constexpr size_t kBefore = 4;  // before the first key: one that is looked at, and what aligns the others
  static_assert(kMost + kWindow - 1 <= kPlaces);

  // Where the least n-gram of a window begins, from where the first window does.
  size_t PlaceIn(size_t window) const { return kPlaces - (static_cast<uint64_t>(least[window]) & kPlaces); }

  // Windows in which another n-gram may be the least than in the one before: how many, and which, with room for more.
  size_t count = 0;
  std::array<uint16_t, kMost + 4> changed;
  alignas(32) std::array<int64_t, kMost> least;  // the key of each window
  alignas(32) std::array<int64_t, kBefore + kMost + kWindow - 1> keys;
};

// Of so many windows, the first of which begins with the codes; codes may follow that they do not have.
// `wide` needs AVX2, and gives the same.
void FindLeast(std::string_view codes, size_t windows, bool wide, LeastGrams* found);

// Calls `use(place, hash)` for each n-gram that is taken, in order of places. Of equal ones the last is taken, and kept
// until it leaves the window, so that few are. Takes time in proportion to the text.
//
// Which n-gram is the least of its window can not be predicted, so that all places are gone over without branches;
// those that are taken are one in three.
template <typename Use>
void ForEachSampledGram(std::string_view codes, Use use, bool wide = HasAvx2()) {
  if (codes.size() < kRun) return;
  const size_t windows = codes.size() - kRun + 1;
  LeastGrams found;         // NOLINT(cppcoreguidelines-pro-type-member-init)
  size_t taken = 0;         // the last one
  uint64_t taken_hash = 0;  // which no n-gram has: codes are not 0
  for (size_t from = 0; from < windows; from += LeastGrams::kMost) {
    FindLeast(codes.substr(from), std::min(LeastGrams::kMost, windows - from), wide, &found);
    for (size_t i = 0; i < found.count; ++i) {
      const size_t place = from + found.PlaceIn(found.changed[i]);
      const uint64_t hash = GramHash(codes.data() + place);
      if (hash == taken_hash && taken >= from + found.changed[i]) continue;
      taken = place;
      taken_hash = hash;
      use(taken, taken_hash);
    }
  }
}

}  // namespace uzushio
