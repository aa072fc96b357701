// Numbers by n-grams.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random_odd.h"

namespace uzushio {

// A table with open addressing, half full at most. Keys are not 0.
class GramTable {
 public:
  explicit GramTable(size_t expected = 0) { Resize(std::bit_ceil(2 * expected + kLeast)); }

  // Where the value of a key is, or null.
  const int32_t* Find(uint64_t key) const {
    for (size_t i = Place(key);; i = (i + 1) & mask_) {
      if (keys_[i] == key) return &values_[i];
      if (keys_[i] == 0) return nullptr;
    }
  }
  // The same; what is not there is put there with 0. The place holds until the next call.
  int32_t* At(uint64_t key) {
    for (size_t i = Place(key);; i = (i + 1) & mask_) {
      if (keys_[i] == key) return &values_[i];
      if (keys_[i] != 0) continue;
      if (2 * (size_ + 1) > keys_.size()) {
        Grow();
        return At(key);
      }
      keys_[i] = key;
      ++size_;
      return &values_[i];
    }
  }
  // Calls `use(key, value)` for each, in no order.
  template <typename Use>
  void ForEach(Use use) const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i] != 0) use(keys_[i], values_[i]);
    }
  }
  // Has the place of a key brought near.
  void Prefetch(uint64_t key) const { __builtin_prefetch(&keys_[Place(key)]); }

  size_t size() const { return size_; }
  int64_t bytes() const { return static_cast<int64_t>(keys_.size() * kSlotBytes); }
  // What it will have when the next key makes it grow, the old one beside.
  int64_t grown_bytes() const { return 2 * size_ + 2 > keys_.size() ? 3 * bytes() : bytes(); }

 private:
  static constexpr size_t kLeast = 16;
  static constexpr size_t kSlotBytes = sizeof(uint64_t) + sizeof(int32_t);

  size_t Place(uint64_t key) const { return static_cast<size_t>((key * odd_) >> shift_); }
  void Resize(size_t slots) {
    keys_.assign(slots, 0);
    values_.assign(slots, 0);
    mask_ = slots - 1;
    shift_ = 64 - std::countr_zero(slots);
  }
  void Grow() {
    const GramTable old = std::move(*this);
    Resize(2 * old.keys_.size());
    size_ = 0;
    old.ForEach([this](uint64_t key, int32_t value) { *At(key) = value; });
  }

  std::vector<uint64_t> keys_;
  std::vector<int32_t> values_;
  size_t size_ = 0;
  size_t mask_ = 0;
  int shift_ = 0;
  uint64_t odd_ = RandomOdd();
};

}  // namespace uzushio
