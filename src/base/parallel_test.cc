#include "base/parallel.h"

#include <gtest/gtest.h>

#include "base/ordered.h"
#include "base/stop.h"

namespace uzushio {
namespace {

TEST(ParallelFor, StopsWhenAsked) {
  for (const int threads : {1, 4}) {
    arrow::StopSource stop;
    const StopScope scope(stop.token());
    std::atomic<int> done = 0;
    const arrow::Status status = ParallelFor(threads, 100000, [&](int, size_t item) {
      if (item == 50) stop.RequestStop();
      ++done;
      return arrow::Status::OK();
    });
    EXPECT_TRUE(status.IsCancelled());
    EXPECT_LT(done, 100000);
    EXPECT_TRUE(CheckStop().IsCancelled());
  }
}

TEST(ParallelFor, IsNotStoppedByAScopeThatHasEnded) {
  arrow::StopSource stop;
  stop.RequestStop();
  {
    const StopScope scope(stop.token());
  }
  EXPECT_TRUE(CheckStop().ok());
  EXPECT_TRUE(ParallelFor(3, 10, [](int, size_t) { return arrow::Status::OK(); }).ok());
}

// A thread that waits for its turn is not left waiting for an item that is never begun.
TEST(OrderedFor, StopsWhenAsked) {
  struct Item {
    int64_t bytes = 1;
  };
  for (int round = 0; round < 50; ++round) {
    arrow::StopSource stop;
    const StopScope scope(stop.token());
    OrderedResults<size_t> results(1, [](size_t) { return arrow::Status::OK(); });
    const arrow::Status status =
        OrderedFor(4, std::vector<Item>(1000), &results, nullptr, [&](size_t, size_t item) -> arrow::Status {
          if (item == 100) stop.RequestStop();
          for (int i = 0; i < 3; ++i) ARROW_RETURN_NOT_OK(results.Add(item, item, 1));
          return arrow::Status::OK();
        });
    EXPECT_TRUE(status.IsCancelled());
  }
}

}  // namespace
}  // namespace uzushio
