#include "cli/allowed_threads.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(AllowedThreads, AreTheMostThatFit) {
  const auto least = [](int threads) { return 10 + int64_t{5} * threads; };
  for (int threads = 1; threads < 20; ++threads) {
    for (int64_t memory = 0; memory < 120; ++memory) {
      int wanted = threads;
      while (wanted > 1 && least(wanted) > memory) --wanted;
      EXPECT_EQ(AllowedThreads(threads, memory, least), wanted) << threads << " " << memory;
    }
  }
  EXPECT_EQ(AllowedThreadsWarning(3, 4), "--memory allows 3 of 4 threads");
}

}  // namespace
}  // namespace uzushio
