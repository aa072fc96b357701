#include "base/bounded_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <thread>

namespace uzushio {
namespace {

std::vector<std::string> Shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(BoundedChildTest, ReturnsWhatTheProgramWrites) {
  EXPECT_EQ(*InBoundedChild(Shell("cat; printf ."), ""), "");
  EXPECT_EQ(*InBoundedChild(Shell("cat; printf ."), "a.b"), "a.b");
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(*InBoundedChild(Shell("cat; printf ."), large), large);
}

TEST(BoundedChildTest, AProgramThatReadsNothingIsNotWaitedFor) {
  EXPECT_EQ(*InBoundedChild(Shell("printf a."), std::string(1 << 20, 'x')), "a");
}

TEST(BoundedChildTest, AnEndOfTheChildIsAnError) {
  EXPECT_TRUE(InBoundedChild(Shell("kill -ABRT $$"), "").status().IsOutOfMemory());
  EXPECT_TRUE(InBoundedChild(Shell("printf half"), "").status().IsOutOfMemory());
  EXPECT_THAT(InBoundedChild({"/no/such/program"}, "").status().message(), testing::HasSubstr("'/no/such/program'"));
}

TEST(BoundedChildTest, AChildThatWaitsIsEnded) {
  EXPECT_TRUE(InBoundedChild(Shell("exec sleep 60"), "", std::chrono::milliseconds(200)).status().IsOutOfMemory());
}

// As a process of another thread would, what the child leaves behind keeps its files open.
TEST(BoundedChildTest, WhatKeepsTheAnswerOpenIsNotWaitedFor) {
  EXPECT_EQ(*InBoundedChild(Shell("sleep 7 & printf a."), "", std::chrono::seconds(6)), "a");
}

TEST(BoundedChildTest, AnAnswerOfAChildThatFailsIsNotWhole) {
  EXPECT_TRUE(InBoundedChild(Shell("printf a.; exit 1"), "").status().IsOutOfMemory());
}

std::atomic<int> copies = 0;

// Of the threads of this process a copy would have the locks, and wait for them.
TEST(BoundedChildTest, ThisProcessIsNotCopied) {
  ::pthread_atfork([] { ++copies; }, nullptr, nullptr);
  std::atomic<bool> is_done = false;
  std::thread other([&is_done] {
    while (!is_done) std::string(1 << 12, '.').swap(*std::make_unique<std::string>());
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(*InBoundedChild(Shell("cat; printf ."), "a"), "a");
  is_done = true;
  other.join();
  EXPECT_EQ(copies, 0);
}

}  // namespace
}  // namespace uzushio
