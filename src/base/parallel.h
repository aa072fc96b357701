// Work shared by threads.
#pragma once

#include <arrow/status.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "base/stop.h"

namespace uzushio {

// Calls `work(thread)` on `threads` threads at once, of which the caller's is the first, and returns when all have
// ended. Errors, and what is thrown, are given to `fail(status)`, which has to make the others end; so is an error of
// the system when it has no more threads. `fail` is called by any thread, several at once.
template <typename Work, typename Fail>
void OnThreads(int threads, Work work, Fail fail) {
  const arrow::StopToken stop = StopScope::Current();
  const auto run = [&](int thread) {
    const StopScope scope(stop);
    arrow::Status done = Guarded([&] { return work(thread); });
    if (!done.ok()) fail(std::move(done));
  };
  std::vector<std::thread> others;
  arrow::Status started = Guarded([&]() -> arrow::Status {
    others.reserve(static_cast<size_t>(threads));
    try {
      for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
    } catch (const std::system_error& error) {
      return arrow::Status::IOError("cannot start thread ", others.size() + 2, " of ", threads, ": ", error.what(),
                                    "; lower --threads, or raise the limit of processes");
    }
    return arrow::Status::OK();
  });
  if (started.ok()) {
    run(0);
  } else {
    fail(std::move(started));
  }
  for (std::thread& other : others) other.join();
}

// Calls `work(thread, item)` for each item from 0 to `items`, on `threads` threads, each item once, in increasing order
// of their starts. Returns the first error, or what was thrown as one; after it, or when the work is asked to stop
// (base/stop.h), no further items are begun.
template <typename Work>
arrow::Status ParallelFor(int threads, size_t items, Work work) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  arrow::Status status;
  const auto run = [&](int thread) -> arrow::Status {
    while (true) {
      ARROW_RETURN_NOT_OK(CheckStop());  // before an item is taken: others may wait for one that is
      const size_t item = next.fetch_add(1);
      if (item >= items) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(work(thread, item));
    }
  };
  OnThreads(threads, run, [&](arrow::Status error) {
    const std::lock_guard lock(mutex);
    if (status.ok()) status = std::move(error);
    next = items;
  });
  return status;
}

}  // namespace uzushio
