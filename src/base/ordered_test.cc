#include "base/ordered.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace uzushio {
namespace {

TEST(OrderedResults, AreInOrderWithLittleMemory) {
  for (const int64_t most : {int64_t{0}, int64_t{10}, int64_t{1000000}}) {
    std::vector<size_t> used;
    OrderedResults<size_t> results(most, [&used](size_t value) {
      used.push_back(value);
      return arrow::Status::OK();
    });
    constexpr size_t kItems = 200;
    const arrow::Status status = ParallelFor(5, kItems, [&](int, size_t item) -> arrow::Status {
      for (size_t i = 0; i < item % 4; ++i) ARROW_RETURN_NOT_OK(results.Add(item, item * 10 + i, 7));
      return results.Finish(item);
    });
    ASSERT_TRUE(status.ok());
    std::vector<size_t> expected;
    for (size_t item = 0; item < kItems; ++item) {
      for (size_t i = 0; i < item % 4; ++i) expected.push_back(item * 10 + i);
    }
    EXPECT_EQ(used, expected);
  }
}

TEST(OrderedResults, AreKeptWhileOneIsInUse) {
  std::mutex mutex;
  std::condition_variable changed;
  bool in_use = false;
  bool kept = false;
  const auto wait_for = [&](const bool* what) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(60), [what] { return *what; });
  };
  const auto set = [&](bool* what) {
    const std::lock_guard lock(mutex);
    *what = true;
    changed.notify_all();
  };
  std::vector<size_t> used;
  OrderedResults<size_t> results(10, [&](size_t value) {
    used.push_back(value);
    if (value == 0) set(&in_use);
    return value > 0 || wait_for(&kept) ? arrow::Status::OK() : arrow::Status::IOError("another had to wait");
  });
  const arrow::Status status = ParallelFor(2, 2, [&](int, size_t item) -> arrow::Status {
    if (item == 1 && !wait_for(&in_use)) return arrow::Status::IOError("none is in use");
    ARROW_RETURN_NOT_OK(results.Add(item, item, 1));
    if (item == 1) set(&kept);
    return results.Finish(item);
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(used, (std::vector<size_t>{0, 1}));
}

TEST(OrderedResults, AnErrorEndsAll) {
  OrderedResults<int> results(
      0, [](int value) { return value == 5 ? arrow::Status::IOError("five") : arrow::Status::OK(); });
  struct Item {
    int64_t bytes = 1;
  };
  const arrow::Status status = OrderedFor(4, std::vector<Item>(100), &results, nullptr, [&](size_t, size_t item) {
    return results.Add(item, static_cast<int>(item), 1);
  });
  EXPECT_EQ(status.message(), "five");
}

}  // namespace
}  // namespace uzushio
