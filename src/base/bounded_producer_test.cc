#include "base/bounded_producer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

namespace uzushio {
namespace {

TEST(BoundedProducer, GivesAllInOrderAndThenTheEnd) {
  BoundedProducer<int> numbers(3, [](const BoundedProducer<int>::Push& push) {
    for (int i = 0; i < 1000; ++i) ARROW_RETURN_NOT_OK(push(i, 1));
    return arrow::Status::OK();
  });
  for (int i = 0; i < 1000; ++i) {
    const auto next = numbers.Next();
    ASSERT_TRUE(next.ok());
    ASSERT_EQ(**next, i);
  }
  EXPECT_FALSE((*numbers.Next()).has_value());
  EXPECT_FALSE((*numbers.Next()).has_value());
}

TEST(BoundedProducer, WorkIsABoundedNumberOfBytesAhead) {
  std::atomic<int> pushed = 0;
  BoundedProducer<int> numbers(10, [&](const BoundedProducer<int>::Push& push) {
    for (int i = 0; i < 100; ++i) {
      ARROW_RETURN_NOT_OK(push(i, 4));
      pushed = i + 1;
    }
    return arrow::Status::OK();
  });
  for (int taken = 1; taken <= 100; ++taken) {
    ASSERT_TRUE(numbers.Next().ok());
    EXPECT_LE(pushed, taken + 3);
  }
}

TEST(BoundedProducer, AnErrorComesAfterTheResultsBeforeIt) {
  BoundedProducer<int> numbers(100, [](const BoundedProducer<int>::Push& push) {
    ARROW_RETURN_NOT_OK(push(7, 1));
    return arrow::Status::IOError("the disk is gone");
  });
  EXPECT_EQ(**numbers.Next(), 7);
  EXPECT_EQ(numbers.Next().status().message(), "the disk is gone");
}

TEST(BoundedProducer, AnExceptionIsAnErrorAfterTheResultsBeforeIt) {
  BoundedProducer<int> numbers(100, [](const BoundedProducer<int>::Push& push) -> arrow::Status {
    ARROW_RETURN_NOT_OK(push(7, 1));
    throw std::bad_alloc();
  });
  EXPECT_EQ(**numbers.Next(), 7);
  EXPECT_TRUE(numbers.Next().status().IsOutOfMemory());
}

TEST(BoundedProducer, WorkEndsWhenNobodyWantsMore) {
  std::atomic<bool> cancelled = false;
  {
    BoundedProducer<int> numbers(1, [&](const BoundedProducer<int>::Push& push) {
      arrow::Status status;
      while (status.ok()) status = push(1, 1);
      cancelled = status.IsCancelled();
      return status;
    });
    ASSERT_TRUE(numbers.Next().ok());
  }
  EXPECT_TRUE(cancelled);
}

}  // namespace
}  // namespace uzushio
