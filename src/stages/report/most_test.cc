#include "stages/report/most.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace uzushio {
namespace {

TEST(Most, FirstsInWhateverOrderTheyCome) {
  std::mt19937 random(1);
  for (const size_t most : {0U, 1U, 7U, 100U, 1000U}) {
    std::vector<unsigned> all(500);
    for (unsigned& item : all) item = random();
    Most<unsigned, std::greater<>> kept(most);
    Most<unsigned, std::greater<>> other(most);
    for (const unsigned item : all) (item % 2 == 0 ? kept : other).Add(item);
    kept.Add(std::move(other));
    std::ranges::sort(all, std::greater<>());
    all.resize(std::min(most, all.size()));
    EXPECT_EQ(kept.Take(), all);
    EXPECT_TRUE(kept.Take().empty());
  }
}

}  // namespace
}  // namespace uzushio
