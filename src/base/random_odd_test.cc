#include "base/random_odd.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(RandomOdd, IsOddAndDiffers) {
  const uint64_t first = RandomOdd();
  EXPECT_EQ(first & 1, 1U);
  EXPECT_NE(first, RandomOdd());
}

}  // namespace
}  // namespace uzushio
