// The least of values that stream by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace uzushio {

// Keeps `most` values, at most, that are less than all others; by their operator<, which tells any two apart.
template <typename T>
class BottomK {
 public:
  explicit BottomK(size_t most) : most_(most) {}

  // Whether Add would keep it.
  bool Wants(const T& value) const { return heap_.size() < most_ || (most_ > 0 && value < heap_.front()); }
  void Add(T value) {
    if (!Wants(value)) return;
    heap_.push_back(std::move(value));
    std::ranges::push_heap(heap_, Before);
    if (heap_.size() <= most_) return;
    std::ranges::pop_heap(heap_, Before);
    heap_.pop_back();
  }
  bool is_full() const { return heap_.size() == most_; }
  // The greatest that is kept; there is one.
  const T& Last() const { return heap_.front(); }
  // What is kept, in order.
  std::vector<T> Take() {
    std::ranges::sort(heap_, Before);
    return std::exchange(heap_, {});
  }

 private:
  static bool Before(const T& a, const T& b) { return a < b; }
  size_t most_;
  std::vector<T> heap_;  // the greatest first
};

}  // namespace uzushio
