#include "base/memory_plan.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

constexpr int64_t kGiB = 1024 * kMiB;

TEST(MemoryPlan, SharesOfStagesAddUpToTheWhole) {
  for (const int threads : {1, 2, 7, 64}) {
    for (const int64_t spare : {int64_t{0}, 64 * kMiB, kGiB, 100 * kGiB}) {
      const int64_t filter = kFilterMemory.With(threads) + spare;
      const FilterPlan plan = PlanFilter(filter, threads);
      EXPECT_GE(plan.results, kLeastResults);
      EXPECT_LE(plan.results, std::max(kLeastResults, spare / 2));
      EXPECT_GE(plan.reader.decoding, kFilterMemory.thread / 2);
      EXPECT_LE(threads * 2 * plan.reader.decoding + plan.results, filter - kFilterMemory.process + kLeastResults);

      const int64_t metrics = kMetricsMemory.With(threads) + spare;
      const MetricsPlan measured = PlanMetrics(metrics, threads);
      EXPECT_LE(threads * 2 * measured.reader.decoding + measured.results + measured.sorter, metrics);

      const int64_t least = kLeastStatisticsMemory.With(threads);
      const StatisticsPlan statistics = PlanStatistics(least + spare, threads);
      EXPECT_GT(statistics.step, 0);
      EXPECT_LE(kStatisticsMemory.With(threads) + statistics.step + statistics.partitions, least + spare);
      EXPECT_LE(statistics.buffers + threads * (statistics.reader.decoding - kStatisticsMemory.thread / 2),
                statistics.step);
    }
  }
}

// A page's text and what is written by `extract` are read by every stage, whatever the memory.
TEST(MemoryPlan, OrdinaryRecordsFitTheLeastMemory) {
  constexpr int64_t kText = 8 * kMiB;
  for (const int threads : {1, 16}) {
    EXPECT_GT(PlanFilter(kFilterMemory.With(threads), threads).reader.record, kText);
    EXPECT_GT(PlanMetrics(kMetricsMemory.With(threads), threads).reader.record, kText);
  }
}

TEST(MemoryPlan, ExtractGrowsWithThePage) {
  EXPECT_EQ(ExtractMemory(1, 8 * kMiB, 8 * kMiB), 192 * kMiB);
  EXPECT_EQ(ExtractMemory(4, 8 * kMiB, 8 * kMiB), 384 * kMiB);
  EXPECT_GT(ExtractMemory(1, 64 * kMiB, 8 * kMiB), 128 * kMiB + 4 * 64 * kMiB);
}

}  // namespace
}  // namespace uzushio
