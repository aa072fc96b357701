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
      EXPECT_LE(threads * plan.reader.decoding + plan.results, filter - kFilterMemory.process + kLeastResults);

      const int64_t metrics = kMetricsMemory.With(threads) + spare;
      const MetricsPlan measured = PlanMetrics(metrics, threads);
      EXPECT_LE(threads * measured.reader.decoding + measured.results + measured.sorter, metrics);

      const int64_t report = kReportMemory.With(threads) + spare;
      const DiffPlan compared = PlanDiff(report, threads);
      EXPECT_LE(compared.partitions + compared.buffers + threads * compared.reader.decoding, report);
      EXPECT_LE(compared.partitions + threads * compared.load * 5 / 2 + compared.totals,
                report - kReportMemory.process / 2);

      const int64_t least = kLeastStatisticsMemory.With(threads);
      const StatisticsPlan statistics = PlanStatistics(least + spare, threads);
      EXPECT_GT(statistics.load, 0);
      EXPECT_LE(kStatisticsMemory.With(threads) + statistics.spare(), least + spare);
      EXPECT_LE(threads * statistics.load * 3 / 2, statistics.block);
      if (statistics.reader.decoding == kLeastDecoding) continue;
      EXPECT_LE(threads * (statistics.reader.decoding - kStatisticsMemory.thread / 2), statistics.block);
    }
  }
}

// A page's text and what `extract` writes are read by every stage, whatever the memory.
TEST(MemoryPlan, OrdinaryRecordsFitTheLeastMemory) {
  constexpr int64_t kText = 8 * kMiB;
  constexpr int64_t kKeys = kMiB;
  for (const int threads : {1, 16, 500}) {
    for (const ReaderMemory& reader : {PlanFilter(kFilterMemory.With(threads), threads).reader,
                                       PlanMetrics(kMetricsMemory.With(threads), threads).reader,
                                       PlanStatistics(kLeastStatisticsMemory.With(threads), threads).reader,
                                       PlanTrain(kLeastTrainMemory, threads).reader}) {
      EXPECT_GE(reader.decoding, kLeastDecoding);
      EXPECT_GE(reader.record, kText + kKeys);
      EXPECT_GE(reader.line(), kText + kKeys);
    }
  }
}

// The memory that an error names does.
TEST(MemoryPlan, WhatIsRefusedFitsTheMemoryThatIsNamed) {
  for (const int threads : {1, 3, 16}) {
    const int64_t memory = 2 * kGiB + int64_t{100} * threads * kMiB;
    const auto fits = [&](const auto& plan) {
      for (const int64_t wanted : {2 * kGiB, 20 * kGiB}) {
        const ReaderMemory now = plan(memory);
        EXPECT_GE(plan(now.WholeFor(wanted, now.decoding)).decoding, wanted) << threads;
        EXPECT_GE(plan(now.WholeFor(wanted, now.line())).line(), wanted - 16) << threads;
        EXPECT_GE(plan(now.WholeFor(wanted, now.record)).record, wanted - 16) << threads;
      }
    };
    fits([&](int64_t whole) { return PlanFilter(whole, threads).reader; });
    fits([&](int64_t whole) { return PlanMetrics(whole, threads).reader; });
    fits([&](int64_t whole) { return PlanStatistics(whole, threads).reader; });
    fits([&](int64_t whole) { return PlanTrain(whole, threads).reader; });
  }
}

TEST(MemoryPlan, ExtractGrowsWithThePage) {
  EXPECT_EQ(ExtractMemory(1, 8 * kMiB, 8 * kMiB, 48 * kMiB), 232 * kMiB);
  EXPECT_EQ(ExtractMemory(4, 8 * kMiB, 8 * kMiB, 48 * kMiB), 544 * kMiB);
  EXPECT_EQ(MainContentMemory(2, 8 * kMiB), 48 * kMiB);
  EXPECT_EQ(FullDataMemory(2, 8 * kMiB, 8 * kMiB), 288 * kMiB);
  EXPECT_GT(ExtractMemory(1, 64 * kMiB, 8 * kMiB, 48 * kMiB), 384 * kMiB);
  EXPECT_EQ(ExtractMemory(2, 8 * kMiB, 8 * kMiB, 96 * kMiB) - ExtractMemory(2, 8 * kMiB, 8 * kMiB, 48 * kMiB),
            96 * kMiB);
}

}  // namespace
}  // namespace uzushio
