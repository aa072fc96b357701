// How many edits part two documents: Levenshtein's distance over tokens, for documents of any length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/random_odd.h"
#include "dedup/tokens.h"

namespace uzushio {

// The distance of two sequences, where it is at most a bound. Works in buffers that it keeps.
//
// Bit-parallel in blocks of 64 (Myers 1999, section 4; Hyyrö 2003), in a band: what can not lie on a way of at most the
// bound is left out, by what each block has cost so far. Bounds are tried from small ones on, and that which some way
// keeps that was looked for along the diagonal only. Time is tokens * distance / 64, not tokens squared; memory grows
// with the tokens alone.
class EditDistanceFinder {
 public:
  // Tokens are less than `tokens`; those that are equal are the same. None: the distance is above `most`.
  std::optional<size_t> Find(std::span<const uint32_t> a, std::span<const uint32_t> b, size_t tokens, size_t most);

 private:
  // 64 rows: where the next row costs one more, one less; the cost at the last one.
  struct Block {
    uint64_t up;
    uint64_t down;
    int64_t cost;
  };
  // Of the rows above a block: whether the last one costs one more than in the column before, or one less.
  struct Step {
    uint64_t more = 1;
    uint64_t less = 0;
  };

  void Index(size_t tokens);
  template <typename Band>
  std::optional<size_t> FindIn(const Band& band);
  template <typename Band>
  void Advance(const Band& band, uint32_t token, int64_t column);
  void Activate(int64_t block, int64_t above);
  int64_t BottomOf(int64_t block) const;

  std::span<const uint32_t> rows_;     // the longer one
  std::span<const uint32_t> columns_;  // the shorter one
  // Of each token the blocks of rows where it stands, in order, and the rows; ended by a block that there is not.
  std::vector<size_t> begins_;
  std::vector<uint32_t> places_;
  std::vector<uint64_t> masks_;
  std::vector<size_t> cursors_;  // past the blocks that are left out
  std::vector<Block> blocks_;
  int64_t first_ = 0;  // of the band
  int64_t last_ = -1;
};

// Compares documents.
class EditComparer {
 public:
  explicit EditComparer(TokenForm form) : reader_(form) {}
  // 1 - distance / the longer one's tokens (Lee et al. 2022, section 4.2), where that is `least` or more; of two empty
  // documents, 1.
  std::optional<double> Compare(std::string_view a, std::string_view b, double least);

 private:
  void Number(std::string_view document, std::vector<uint32_t>* numbers);
  uint32_t NumberOf(uint64_t token);
  void Grow();

  TokenReader reader_;
  EditDistanceFinder finder_;
  // Numbers of tokens, by open addressing.
  size_t PlaceOf(uint64_t token, size_t places) const;
  uint64_t odd_ = RandomOdd();  // who chooses texts chooses tokens
  std::vector<uint64_t> tokens_;
  std::vector<uint32_t> numbers_;  // and one more; 0: none
  uint32_t known_ = 0;
  std::vector<uint32_t> first_;
  std::vector<uint32_t> second_;
};

}  // namespace uzushio
