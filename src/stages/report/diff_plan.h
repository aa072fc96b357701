#pragma once

#include "base/memory_plan.h"

namespace uzushio {

// Of a comparison by document.
struct DiffPlan {
  int64_t partitions = 0;  // what rows hold in memory before they are spilled: 1/2 of the spare memory
  int64_t buffers = 0;     // of writers to partitions, all together
  int64_t load = 0;        // of rows that a thread loads at once, and as much again and a half to sort them: of its 64
                           // MiB, and 1/8
  int64_t totals = 0;      // of hosts, of all threads, before they go to a temporary file
  ReaderMemory reader;     // of each thread: of 1/4
};
constexpr DiffPlan PlanDiff(int64_t memory, int threads) {
  const int64_t spare = std::max<int64_t>(0, memory - kReportMemory.With(threads));
  return {spare / 2, 8 * kMiB + spare / 16, 8 * kMiB + spare / 20 / threads, int64_t{threads} * 4 * kMiB + spare / 16,
          PlanRowReader(kReportMemory.thread, spare, 4, memory, threads)};
}

}  // namespace uzushio
