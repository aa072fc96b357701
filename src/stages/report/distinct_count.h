// How many values differ, in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace uzushio {

// Counts different hashes, which are spread evenly over 64 bits: exactly up to kMost, and beyond by the kMost least of
// them, with a standard error of 1.6 % (Beyer et al. 2007, "On synopses for distinct-value estimation under multiset
// operations", the unbiased estimate of section 3). The order in which they are added makes no difference.
class DistinctCount {
 public:
  static constexpr size_t kMost = 4096;

  void Add(uint64_t hash) {
    if (hash > limit_) return;
    hashes_.push_back(hash);
    if (hashes_.size() >= 2 * kMost) Compact();
  }
  void Add(const DistinctCount& other);

  int64_t Count();
  bool is_exact() const { return is_exact_; }  // of the last Count

 private:
  void Compact();

  std::vector<uint64_t> hashes_;
  uint64_t limit_ = UINT64_MAX;  // those above are none of the least
  bool is_exact_ = true;
};

}  // namespace uzushio
