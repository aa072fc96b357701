// The first of many in an order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace uzushio {

// Keeps the `most` items that come first in an order which tells any two apart: which ones does not depend on when each
// is added.
template <typename Item, typename IsBefore>
class Most {
 public:
  explicit Most(size_t most, IsBefore is_before = {}) : most_(most), is_before_(is_before) {}

  void Add(Item item) {
    if (items_.size() == most_) {
      if (most_ == 0 || !is_before_(item, items_.front())) return;
      std::ranges::pop_heap(items_, is_before_);
      items_.pop_back();
    }
    items_.push_back(std::move(item));
    std::ranges::push_heap(items_, is_before_);
  }
  void Add(Most other) {
    for (Item& item : other.items_) Add(std::move(item));
  }
  // In order. Leaves none.
  std::vector<Item> Take() {
    std::ranges::sort_heap(items_, is_before_);
    return std::exchange(items_, {});
  }

 private:
  size_t most_;
  IsBefore is_before_;
  std::vector<Item> items_;
};

}  // namespace uzushio
