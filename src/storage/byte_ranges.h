// Ranges of a file's bytes, merged where the gap between two costs less than a request.
#pragma once

#include <algorithm>
#include <cstdint>

namespace uzushio {

struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

struct MergeLimits {
  int64_t gap = 0;   // that is read along, at most
  int64_t most = 0;  // bytes of a merged range
};

// Extends `range` to `next`, which begins where it does or behind, if they are worth one request. An empty range
// becomes the next. False: they are two.
inline bool MergeInto(const ByteRange& next, const MergeLimits& limits, ByteRange* range) {
  if (range->size() == 0) {
    *range = next;
    return true;
  }
  const int64_t end = std::max(range->end, next.end);
  if (next.begin - range->end > limits.gap || end - range->begin > limits.most) return false;
  range->end = end;
  return true;
}

}  // namespace uzushio
