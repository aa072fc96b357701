#include "pipeline/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace uzushio {
namespace {

constexpr int64_t kWhole = 1000;
constexpr size_t kNoBound = 100;

using Started = std::vector<std::pair<size_t, StepShare>>;

// Has all ready steps wait for the same, and starts what may start.
Started StartAll(Schedule* schedule, StepNeed need) {
  for (const size_t step : schedule->TakeReady()) schedule->Wait(step, need);
  Started all;
  while (const auto started = schedule->Start()) all.push_back(*started);
  return all;
}

Started SharesOf(const std::vector<size_t>& steps, StepShare share) {
  Started all;
  for (const size_t step : steps) all.emplace_back(step, share);
  return all;
}

TEST(ScheduleTest, StepsThatAreSmallWorkSideBySide) {
  Schedule schedule({{}, {}, {}, {}, {}}, {4, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&schedule, {1, 10}), SharesOf({0, 1, 2, 3}, {1, kWhole / 4}));
  schedule.End(2);
  EXPECT_EQ(StartAll(&schedule, {}), SharesOf({4}, {1, kWhole / 4}));
  EXPECT_EQ(schedule.at_work(), 4);
}

TEST(ScheduleTest, OneThatIsAloneHasAllThereIs) {
  Schedule schedule({{}, {0}}, {4, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&schedule, {1, 10}), SharesOf({0}, {4, kWhole}));
  schedule.End(0);
  EXPECT_EQ(StartAll(&schedule, {1, 10}), SharesOf({1}, {4, kWhole}));
}

TEST(ScheduleTest, WhatAStepCanNotDoWithoutBoundsHowManyThereAre) {
  Schedule schedule({{}, {}, {}, {}}, {4, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&schedule, {1, 400}), SharesOf({0, 1}, {1, 400}));
  Schedule larger({{}, {}}, {4, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&larger, {1, 2000}), SharesOf({0}, {4, kWhole}));  // it says itself that this is too little
  Schedule wide({{}, {}}, {4, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&wide, {9, 10}), SharesOf({0}, {4, kWhole}));
  Schedule single({{}, {}}, {4, kWhole}, 1);
  EXPECT_EQ(StartAll(&single, {1, 10}), SharesOf({0}, {4, kWhole}));
}

TEST(ScheduleTest, NoneOvertakesAnotherThatWaits) {
  Schedule schedule({{}, {}, {}}, {4, kWhole}, kNoBound);
  EXPECT_THAT(schedule.TakeReady(), testing::ElementsAre(0, 1, 2));
  schedule.Wait(2, {1, 0});
  schedule.Wait(1, {3, 0});
  schedule.Wait(0, {2, 0});
  EXPECT_EQ(StartAll(&schedule, {}), (Started{{0, {2, kWhole / 2}}}));
  schedule.End(0);
  EXPECT_EQ(StartAll(&schedule, {}), (Started{{1, {3, kWhole / 4 * 3}}, {2, {1, kWhole / 4}}}));
}

TEST(ScheduleTest, StepsWaitForThoseThatTheyStandOn) {
  Schedule schedule({{}, {}, {0, 1}, {1}}, {4, kWhole}, kNoBound);
  EXPECT_THAT(schedule.TakeReady(), testing::ElementsAre(0, 1));
  EXPECT_THAT(schedule.TakeReady(), testing::IsEmpty());
  schedule.End(1);  // was done before
  EXPECT_THAT(schedule.TakeReady(), testing::ElementsAre(3));
  schedule.End(0);
  EXPECT_THAT(schedule.TakeReady(), testing::ElementsAre(2));
}

TEST(ScheduleTest, OneThatWantsAllWaitsForTheOthers) {
  Schedule schedule({{}, {}, {}}, {2, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&schedule, {1, 10}).size(), 2);
  schedule.GiveBack(0);
  schedule.WaitForAll(0);
  EXPECT_EQ(schedule.Start(), std::nullopt);
  schedule.End(1);
  EXPECT_EQ(StartAll(&schedule, {}), SharesOf({0}, {2, kWhole}));
  schedule.End(0);
  EXPECT_EQ(StartAll(&schedule, {}), SharesOf({2}, {2, kWhole}));
}

TEST(ScheduleTest, OneThatIsAloneHasNoThreadsWithoutMemory) {
  const StepNeed need = {1, 10, 2};
  Schedule schedule({{}, {0}}, {4, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&schedule, need), SharesOf({0}, {2, kWhole}));
  schedule.GiveBack(0);
  schedule.WaitForAll(0);
  EXPECT_EQ(StartAll(&schedule, need), SharesOf({0}, {2, kWhole}));
  Schedule beside({{}, {}}, {4, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&beside, {4, 10, 2}), SharesOf({0, 1}, {2, kWhole / 2}));
  Schedule large({{}, {}}, {4, kWhole}, kNoBound);
  EXPECT_EQ(StartAll(&large, {1, 2000, 1}), SharesOf({0}, {1, kWhole}));
}

TEST(ScheduleTest, TimesAreThoseOfStepsSideBySide) {
  const std::vector<std::vector<size_t>> sources = {{}, {}, {}, {0, 1}};
  const StepCost small = {.thread_seconds = 2, .need = {1, 10}};
  const StepCost wide = {.thread_seconds = 8, .need = {2, 10}};
  const auto ends = [&](size_t at_once, const std::vector<StepCost>& costs) {
    std::vector<double> all;
    for (const StepTimes& times : TimesOf(sources, {2, kWhole}, at_once, costs)) all.push_back(times.end);
    return all;
  };
  EXPECT_THAT(ends(kNoBound, {small, small, small, wide}), testing::ElementsAre(2, 2, 4, 8));
  EXPECT_THAT(ends(1, {small, small, small, wide}), testing::ElementsAre(2, 4, 6, 10));
  EXPECT_THAT(ends(kNoBound, {{.is_done = true}, {.is_done = true}, {.is_done = true}, wide}),
              testing::ElementsAre(0, 0, 0, 4));
}

TEST(ScheduleTest, ThreadsFindEnoughToDo) {
  EXPECT_EQ(UsefulThreads(0, 8), 1);
  EXPECT_EQ(UsefulThreads(kBytesOfThread + 1, 8), 2);
  EXPECT_EQ(UsefulThreads(1LL << 50, 8), 8);
}

}  // namespace
}  // namespace uzushio
