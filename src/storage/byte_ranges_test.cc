#include "storage/byte_ranges.h"

#include <gtest/gtest.h>

#include <vector>

namespace uzushio {
namespace {

std::vector<ByteRange> Merged(const std::vector<ByteRange>& ranges, const MergeLimits& limits) {
  std::vector<ByteRange> merged;
  ByteRange range;
  for (const ByteRange& next : ranges) {
    if (MergeInto(next, limits, &range)) continue;
    merged.push_back(range);
    range = next;
  }
  if (range.size() > 0) merged.push_back(range);
  return merged;
}

TEST(ByteRanges, AreMergedOverGapsThatCostLess) {
  const MergeLimits limits = {10, 1000};
  EXPECT_EQ(Merged({{0, 5}, {15, 20}, {31, 40}}, limits), (std::vector<ByteRange>{{0, 20}, {31, 40}}));
  EXPECT_EQ(Merged({{0, 5}, {5, 9}}, {0, 1000}), (std::vector<ByteRange>{{0, 9}}));
  EXPECT_EQ(Merged({{0, 5}, {6, 9}}, {0, 1000}), (std::vector<ByteRange>{{0, 5}, {6, 9}}));
  EXPECT_EQ(Merged({}, limits), std::vector<ByteRange>{});
}

TEST(ByteRanges, AreNoLargerThanAllowedUnlessOneIs) {
  const MergeLimits limits = {10, 20};
  EXPECT_EQ(Merged({{0, 10}, {10, 20}, {20, 30}}, limits), (std::vector<ByteRange>{{0, 20}, {20, 30}}));
  EXPECT_EQ(Merged({{0, 100}, {100, 110}}, limits), (std::vector<ByteRange>{{0, 100}, {100, 110}}));
}

TEST(ByteRanges, MayOverlap) {
  const MergeLimits limits = {0, 100};
  EXPECT_EQ(Merged({{0, 50}, {10, 20}, {50, 60}}, limits), (std::vector<ByteRange>{{0, 60}}));
  EXPECT_EQ(Merged({{0, 50}, {0, 50}, {0, 60}}, limits), (std::vector<ByteRange>{{0, 60}}));
}

}  // namespace
}  // namespace uzushio
