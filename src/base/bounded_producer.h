// Results that are pushed by one thread and pulled by another.
#pragma once

#include <arrow/result.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/guard.h"

namespace uzushio {

// Runs work that hands on its results one after another, in a thread of its own, a bounded number of bytes ahead.
template <typename Item>
class BoundedProducer {
 public:
  using Push = std::function<arrow::Status(Item item, int64_t bytes)>;

  BoundedProducer(int64_t most_bytes, std::function<arrow::Status(const Push&)> work)
      : most_bytes_(most_bytes), work_(std::move(work)) {}
  // The work's next Push fails, if it has not ended.
  ~BoundedProducer() {
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }
  BoundedProducer(const BoundedProducer&) = delete;
  BoundedProducer& operator=(const BoundedProducer&) = delete;

  // The next item, in order; nothing when the work has ended well; else its error, or what it threw as one.
  arrow::Result<std::optional<Item>> Next() {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable() && !ended_) ARROW_RETURN_NOT_OK(Start());
    changed_.wait(lock, [this] { return !items_.empty() || ended_; });
    if (items_.empty()) {
      if (!status_.ok()) return status_;
      return std::nullopt;
    }
    auto [item, bytes] = std::move(items_.front());
    items_.pop_front();
    bytes_ -= bytes;
    changed_.notify_all();
    return std::optional<Item>(std::move(item));
  }

 private:
  arrow::Status Start() {
    try {
      thread_ = std::thread([this] { Work(); });
      return arrow::Status::OK();
    } catch (const std::system_error& error) {
      return arrow::Status::IOError("cannot start a thread: ", error.what());
    }
  }

  arrow::Status Keep(Item item, int64_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return bytes_ < most_bytes_ || cancelled_; });
    if (cancelled_) return arrow::Status::Cancelled("no more results are wanted");
    items_.emplace_back(std::move(item), bytes);
    bytes_ += bytes;
    changed_.notify_all();
    return arrow::Status::OK();
  }

  void Work() {
    arrow::Status status =
        Guarded([this] { return work_([this](Item item, int64_t bytes) { return Keep(std::move(item), bytes); }); });
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    ended_ = true;
    changed_.notify_all();
  }

  const int64_t most_bytes_;
  const std::function<arrow::Status(const Push&)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Item, int64_t>> items_;
  int64_t bytes_ = 0;
  bool cancelled_ = false;
  bool ended_ = false;
  arrow::Status status_;
  std::thread thread_;
};

}  // namespace uzushio
