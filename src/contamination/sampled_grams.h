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

inline uint64_t Lesser(uint64_t one, uint64_t other) { return one < other ? one : other; }

// Calls `use(place, hash)` for each n-gram that is taken, in order of places. Of equal ones the last is taken, and kept
// until it leaves the window, so that few are. Takes time in proportion to the text.
//
// Which n-gram is the least of its window can not be predicted, so that the loops over all places do without branches;
// those that are taken are one in three.
template <typename Use>
void ForEachSampledGram(std::string_view codes, Use use) {
  constexpr size_t kAtOnce = 256;  // windows
  static_assert(kWindow == 5);     // as the loop over windows has it
  if (codes.size() < kRun) return;
  const size_t windows = codes.size() - kRun + 1;
  std::array<uint64_t, kAtOnce + kWindow - 1> hashes;  // of n-grams
  std::array<uint16_t, kAtOnce> changed;               // windows in which another n-gram may be the least
  uint64_t least = 0;                                  // hash of the window before
  uint64_t left = 0;                                   // hash of the n-gram that is not in the window any more
  size_t taken = 0;                                    // the last one
  uint64_t taken_hash = 0;                             // which no n-gram has: codes are not 0
  for (size_t from = 0; from < windows; from += kAtOnce) {
    const size_t size = std::min(kAtOnce, windows - from);
    for (size_t i = 0; i < size + kWindow - 1; ++i) hashes[i] = GramHash(codes.data() + from + i);
    uint64_t second = Lesser(hashes[1], hashes[2]);  // the lesser of the window's second and third,
    uint64_t third = Lesser(hashes[2], hashes[3]);   // and of its third and fourth
    size_t count = 0;
    for (size_t i = 0; i < size; ++i) {  // the first of all is changed: `least` and `left` are equal
      const uint64_t fourth = Lesser(hashes[i + 3], hashes[i + 4]);
      const uint64_t own = Lesser(hashes[i], Lesser(second, fourth));
      changed[count] = static_cast<uint16_t>(i);
      count += static_cast<size_t>(own != least) | static_cast<size_t>(own == left);
      least = own;
      left = hashes[i];
      second = third;
      third = fourth;
    }
    for (size_t j = 0; j < count; ++j) {
      const size_t first = changed[j];
      size_t place = first;
      uint64_t hash = hashes[first];
      for (size_t i = first + 1; i < first + kWindow; ++i) {
        place = hashes[i] <= hash ? i : place;
        hash = Lesser(hashes[i], hash);
      }
      if (hash == taken_hash && taken >= from + first) continue;
      taken = from + place;
      taken_hash = hash;
      use(taken, taken_hash);
    }
  }
}

}  // namespace uzushio
