// Work shared by threads.
#pragma once

#include <arrow/status.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/stop.h"

namespace uzushio {

// Calls `work(thread, item)` for each item from 0 to `items`, on `threads` threads, each item once, in increasing order
// of their starts. Returns the first error; after one, or when the work is asked to stop (base/stop.h), no further
// items are begun.
template <typename Work>
arrow::Status ParallelFor(int threads, size_t items, Work work) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  arrow::Status status;
  const arrow::StopToken stop = StopScope::Current();
  const auto run = [&](int thread) {
    const StopScope scope(stop);
    while (true) {
      arrow::Status done = CheckStop();  // before an item is taken: others may wait for one that is
      if (done.ok()) {
        const size_t item = next.fetch_add(1);
        if (item >= items) return;
        done = work(thread, item);
        if (done.ok()) continue;
      }
      const std::lock_guard lock(mutex);
      if (status.ok()) status = std::move(done);
      next = items;
      return;
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& other : others) other.join();
  return status;
}

}  // namespace uzushio
