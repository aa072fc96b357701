// How much of a text its n-grams of characters say twice (Rae et al. 2021, arXiv 2112.11446, table A1, as the Swallow
// corpus counts it).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace uzushio {

struct NgramRepetition {
  static constexpr size_t kLeastTop = 2;
  static constexpr size_t kLeastDuplicate = 5;
  // The most frequent n-gram's occurrences / all, for n = 2, 3, 4.
  std::array<double, 3> top{};
  // Different n-grams that occur more than once / different n-grams, for n = 5 … 10.
  std::array<double, 6> duplicate{};
};

// Counts exactly. A text without n-grams has 0. One thread's.
class NgramCounter {
 public:
  NgramCounter();
  // Time is linear in the text. Memory is about 40 bytes a code point of short texts; of long ones some 4, and 8 where
  // one 2-gram is everywhere.
  NgramRepetition Count(std::u32string_view text);

 private:
  // A place whose n-gram occurs elsewhere, too. Equal n-grams have equal names.
  struct Place {
    uint32_t at = 0;
    uint32_t name = 0;
  };
  struct Group {
    uint64_t key = 0;  // the name of an n-gram, and the letter that follows
    uint32_t count = 0;
  };
  struct Counts {
    uint64_t most = 0;        // occurrences of the most frequent n-gram
    uint64_t duplicates = 0;  // different n-grams that occur more than once
    uint64_t repeated = 0;    // their occurrences
  };
  uint64_t Hash(uint64_t key) const;
  void Begin(std::u32string_view text, uint64_t part, uint64_t parts);
  Counts Extend(std::u32string_view text, size_t n);
  uint32_t FindGroup(uint64_t key);
  void Grow();

  uint64_t seed_;
  std::vector<Place> places_;    // in order
  std::vector<uint32_t> slots_;  // 1 + the place in groups_, 0 for none; a power of two of them
  std::vector<Group> groups_;
};

}  // namespace uzushio
