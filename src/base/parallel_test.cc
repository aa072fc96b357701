#include "base/parallel.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

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

// What is thrown on a thread ends the work, not the process.
TEST(ParallelFor, AnExceptionIsAnError) {
  for (const int threads : {1, 4}) {
    const arrow::Status none_left = ParallelFor(threads, 1000, [](int, size_t item) -> arrow::Status {
      if (item >= 500) throw std::bad_alloc();
      return arrow::Status::OK();
    });
    EXPECT_TRUE(none_left.IsOutOfMemory()) << none_left;
    const arrow::Status other =
        ParallelFor(threads, 1000, [](int, size_t) -> arrow::Status { throw std::runtime_error("a library's"); });
    EXPECT_EQ(other.message(), "a library's");
    // NOLINTNEXTLINE(bugprone-std-exception-baseclass): libraries may do so
    EXPECT_FALSE(ParallelFor(threads, 9, [](int, size_t) -> arrow::Status { throw 7; }).ok());
  }
}

// Threads that wait for their turn are let go when what they wait for throws, in the work or where results are used.
TEST(OrderedFor, AnExceptionIsAnError) {
  struct Item {
    int64_t bytes = 1;
  };
  for (const bool in_use : {false, true}) {
    for (int round = 0; round < 50; ++round) {
      OrderedResults<size_t> results(1, [in_use](size_t item) -> arrow::Status {
        if (in_use && item == 20) throw std::bad_alloc();
        return arrow::Status::OK();
      });
      const arrow::Status status =
          OrderedFor(4, std::vector<Item>(100), &results, nullptr, [&](size_t, size_t item) -> arrow::Status {
            if (!in_use && item == 20) throw std::bad_alloc();
            for (int i = 0; i < 3; ++i) ARROW_RETURN_NOT_OK(results.Add(item, item, 1));
            return arrow::Status::OK();
          });
      EXPECT_TRUE(status.IsOutOfMemory()) << status;
    }
  }
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
