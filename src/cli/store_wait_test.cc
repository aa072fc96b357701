#include "cli/store_wait.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

// Whether two threads that have used so much in six seconds wait.
bool Waits(double cpu, double store) {
  const ProcessUsage begin = ProcessUsage::Now();
  StoreWait wait(2);
  return wait.Look({begin.time + 6, begin.cpu + cpu, begin.store + store});
}

TEST(StoreWait, WhereProcessorsAreIdleWhileItReads) {
  EXPECT_TRUE(Waits(1, 5.9));
  EXPECT_FALSE(Waits(11, 5.9));  // of twelve: what it does takes the time
  EXPECT_FALSE(Waits(1, 3));     // of one thread's work, or of a disk
  EXPECT_FALSE(Waits(1, 0));
}

TEST(StoreWait, StaysUntilItIsLookedAtAgain) {
  const ProcessUsage begin = ProcessUsage::Now();
  StoreWait wait(2);
  const auto look = [&](double time, double cpu, double store) {
    return wait.Look({begin.time + time, begin.cpu + cpu, begin.store + store});
  };
  EXPECT_FALSE(look(1, 0, 1));
  EXPECT_TRUE(look(6, 0, 6));
  EXPECT_TRUE(look(7, 2, 6));
  EXPECT_FALSE(look(12, 12, 12));
}

TEST(ProcessUsage, GoesOn) {
  const ProcessUsage before = ProcessUsage::Now();
  const ProcessUsage after = ProcessUsage::Now();
  EXPECT_GE(after.time, before.time);
  EXPECT_GE(after.cpu, before.cpu);
  EXPECT_GE(after.store, before.store);
}

}  // namespace
}  // namespace uzushio
