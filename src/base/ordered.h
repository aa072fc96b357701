// Results of parallel work in the order of the items.
#pragma once

#include <arrow/status.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/stop.h"

namespace uzushio {

// Items 0, 1, 2, … are worked on by several threads, each giving several results in order. Results are used in the
// order of items, one at a time: by the thread that adds one that has its turn, or that is at it when others add. They
// are kept until then; threads wait while more than `most_bytes` are, but for the one whose result has its turn.
template <typename Result>
class OrderedResults {
 public:
  OrderedResults(int64_t most_bytes, std::function<arrow::Status(Result)> use)
      : most_bytes_(most_bytes), use_(std::move(use)) {}

  // One result of an item. Items have to be begun in order.
  arrow::Status Add(size_t item, Result result, int64_t bytes) {
    ARROW_RETURN_NOT_OK(CheckStop());  // items may be large
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return (item == first_ && !in_use_) || kept_bytes_ < most_bytes_ || !status_.ok(); });
    if (!status_.ok()) return status_;
    kept_[item].results.emplace_back(std::move(result), bytes);
    kept_bytes_ += bytes;
    return UseKept(&lock);
  }

  // After the last result of an item.
  arrow::Status Finish(size_t item) {
    std::unique_lock lock(mutex_);
    if (!status_.ok()) return status_;
    kept_[item].finished = true;
    return UseKept(&lock);
  }

  // Lets go of the threads that wait; their calls return the error.
  void Fail(const arrow::Status& status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
    turn_.notify_all();
  }

 private:
  struct Kept {
    std::deque<std::pair<Result, int64_t>> results;
    bool finished = false;
  };
  // Uses what has its turn, without the lock, unless a thread is at it.
  arrow::Status UseKept(std::unique_lock<std::mutex>* lock) {
    if (in_use_) return status_;
    in_use_ = true;
    while (status_.ok() && !kept_.empty() && kept_.begin()->first == first_) {
      Kept& first = kept_.begin()->second;
      if (first.results.empty()) {
        if (!first.finished) break;
        kept_.erase(kept_.begin());
        ++first_;
        continue;
      }
      std::pair<Result, int64_t> next = std::move(first.results.front());
      first.results.pop_front();
      lock->unlock();
      arrow::Status used = Guarded([&] { return use_(std::move(next.first)); });
      lock->lock();
      kept_bytes_ -= next.second;
      if (status_.ok()) status_ = std::move(used);
      turn_.notify_all();
    }
    in_use_ = false;
    turn_.notify_all();
    return status_;
  }

  const int64_t most_bytes_;
  const std::function<arrow::Status(Result)> use_;
  std::mutex mutex_;
  std::condition_variable turn_;
  bool in_use_ = false;  // a result, or the next
  size_t first_ = 0;
  std::map<size_t, Kept> kept_;
  int64_t kept_bytes_ = 0;
  arrow::Status status_;
};

// Calls `work(thread, i)`, which adds to `results`, for each of `items`, on several threads. `on_progress`, if any,
// gets the share of the items' `bytes` that is done, in calls of one thread.
template <typename Item, typename Result, typename Work>
arrow::Status OrderedFor(int threads, const std::vector<Item>& items, OrderedResults<Result>* results,
                         const std::function<void(double)>& on_progress, Work work) {
  int64_t bytes = 1;
  for (const Item& item : items) bytes += item.bytes;
  std::atomic<int64_t> done = 0;
  return ParallelFor(threads, items.size(), [&](int thread, size_t i) {
    // What is thrown is an error here already: others may wait for this item's turn to end.
    arrow::Status status = Guarded([&]() -> arrow::Status {
      ARROW_RETURN_NOT_OK(work(static_cast<size_t>(thread), i));
      return results->Finish(i);
    });
    if (!status.ok()) results->Fail(status);
    done += items[i].bytes;
    if (thread == 0 && on_progress) on_progress(static_cast<double>(done) / static_cast<double>(bytes));
    return status;
  });
}

}  // namespace uzushio
