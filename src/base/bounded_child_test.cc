#include "base/bounded_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace uzushio {
namespace {

constexpr int64_t kMemory = 64 << 20;

TEST(BoundedChildTest, ReturnsWhatTheWorkReturns) {
  EXPECT_EQ(*InBoundedChild([] { return std::string(); }, kMemory), "");
  EXPECT_EQ(*InBoundedChild([] { return std::string(1 << 20, '.'); }, kMemory), std::string(1 << 20, '.'));
  EXPECT_NE(*InBoundedChild([] { return std::to_string(::getpid()); }, kMemory), std::to_string(::getpid()));
}

TEST(BoundedChildTest, AnEndOfTheChildIsAnError) {
  EXPECT_TRUE(InBoundedChild([]() -> std::string { std::abort(); }, kMemory).status().IsOutOfMemory());
  EXPECT_TRUE(InBoundedChild([]() -> std::string { throw std::runtime_error("x"); }, kMemory).status().IsOutOfMemory());
}

TEST(BoundedChildTest, MemoryIsBounded) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer takes all addresses there are";
#endif
  const auto grow = [] {
    std::string text = "x";
    while (text.size() < size_t{1} << 33) text += text;
    return text.substr(0, 1);
  };
  EXPECT_THAT(InBoundedChild(grow, kMemory).status().message(), testing::HasSubstr("more than 64MiB"));
}

// As one does that waits for a lock which a thread had that is not there any more.
TEST(BoundedChildTest, AChildThatWaitsIsEnded) {
  const auto wait = []() -> std::string {
    while (true) ::pause();
  };
  EXPECT_TRUE(InBoundedChild(wait, kMemory, std::chrono::milliseconds(200)).status().IsOutOfMemory());
}

}  // namespace
}  // namespace uzushio
