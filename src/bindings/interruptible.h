// Long work that Python may watch and interrupt.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace uzushio::python {

// How far work is: told by its threads, taken by the one that has the interpreter's lock. Only the latest counts.
class Progress {
 public:
  void Set(double share, const std::string& note) {
    const std::lock_guard lock(mutex_);
    news_.emplace(share, note);
  }
  std::optional<std::pair<double, std::string>> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<std::pair<double, std::string>> news_;
};

// Runs `work` in a thread of its own. Meanwhile the calling thread, which has the interpreter's lock, gives it away but
// for a moment now and then, for `callback(share, note)`, unless that is None, and for signals, such as Ctrl-C. When
// one of them raises an exception the work is asked to stop (base/stop.h), waited for, and the exception is thrown.
// `work` throws nothing.
void RunInterruptibly(const std::function<void()>& work, Progress* progress, const nanobind::object& callback);

}  // namespace uzushio::python
