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
  // Time is linear in the text, whatever it says. Memory is 12 bytes a code point, of which there are less than 2^31,
  // and from 5 to 22 MB for their numbers.
  NgramRepetition Count(std::u32string_view text);

 private:
  // The n-grams that begin with a letter.
  struct Bucket {
    uint32_t size = 0;   // then the place of the next one
    uint32_t group = 0;  // what the last one continues; 0 for none
  };
  struct Counts {
    size_t most = 0;        // occurrences of the most frequent n-gram
    size_t duplicates = 0;  // different n-grams that occur more than once
    size_t repeated = 0;    // their occurrences
  };
  void NumberLetters(std::u32string_view text);
  void Extend(size_t n);
  template <bool kTop>
  Counts KeepRepeated(size_t n);

  std::vector<uint32_t> letters_;
  // Where n-grams end that may occur again: equal ones together, the first of them marked. Then one mark more.
  std::vector<uint32_t> ends_;
  std::vector<uint32_t> longer_;   // room for those of the next n
  size_t size_ = 0;                // of both
  std::vector<Bucket> buckets_;    // by letter
  std::vector<uint32_t> numbers_;  // by code point; 0 between texts
  std::vector<char32_t> alphabet_;
};

}  // namespace uzushio
