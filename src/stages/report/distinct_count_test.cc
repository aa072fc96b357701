#include "stages/report/distinct_count.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace uzushio {
namespace {

// Spread evenly (the finaliser of SplitMix64, Steele et al. 2014).
uint64_t Spread(uint64_t number) {
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9U;
  number = (number ^ number >> 27) * 0x94D049BB133111EBU;
  return number ^ number >> 31;
}

TEST(DistinctCount, ExactUpToItsMost) {
  for (const uint64_t different : {0U, 1U, 100U, 4095U, 4096U}) {
    DistinctCount count;
    for (uint64_t i = 0; i < 3 * different; ++i) count.Add(Spread(i % different + 1));
    EXPECT_EQ(count.Count(), different);
    EXPECT_TRUE(count.is_exact());
  }
}

TEST(DistinctCount, EstimatesInAnyOrder) {
  for (const uint64_t different : {4097U, 20000U, 1000000U}) {
    std::vector<DistinctCount> parts(3);
    DistinctCount whole;
    for (uint64_t i = 0; i < different + 1000; ++i) {
      parts[i % 3].Add(Spread(i % different + 1));
      whole.Add(Spread((different - i % different)));
    }
    DistinctCount sum;
    for (DistinctCount& part : parts) sum.Add(part);
    EXPECT_EQ(sum.Count(), whole.Count());
    EXPECT_FALSE(sum.is_exact());
    EXPECT_FALSE(whole.is_exact());
    EXPECT_LT(std::abs(static_cast<double>(sum.Count()) / static_cast<double>(different) - 1), 0.05);
  }
}

}  // namespace
}  // namespace uzushio
