#include "stages/report/distinct_count.h"

#include <algorithm>
#include <cmath>

namespace uzushio {

void DistinctCount::Compact() {
  std::ranges::sort(hashes_);
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  if (hashes_.size() <= kMost) return;
  hashes_.resize(kMost);
  limit_ = hashes_.back();
  is_exact_ = false;
}

void DistinctCount::Add(const DistinctCount& other) {
  is_exact_ &= other.is_exact_;
  for (const uint64_t hash : other.hashes_) Add(hash);
}

int64_t DistinctCount::Count() {
  Compact();
  if (is_exact_) return static_cast<int64_t>(hashes_.size());
  return std::llround(static_cast<double>(kMost - 1) / (static_cast<double>(hashes_.back()) * 0x1p-64));
}

}  // namespace uzushio
