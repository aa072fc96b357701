#include "base/bottom_k.h"

#include <gtest/gtest.h>

#include <random>

namespace uzushio {
namespace {

TEST(BottomK, KeepsWhatSortingWould) {
  std::mt19937 random(1);
  for (const size_t most : {0, 1, 7, 100}) {
    std::vector<int> all(60);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    std::ranges::shuffle(all, random);
    BottomK<int> least(most);
    for (const int value : all) {
      const bool wants = least.Wants(value);
      if (least.is_full() && most > 0) EXPECT_EQ(wants, value < least.Last());
      least.Add(value);
    }
    std::ranges::sort(all);
    all.resize(std::min(most, all.size()));
    EXPECT_EQ(least.Take(), all);
  }
}

}  // namespace
}  // namespace uzushio
