// Asking work to end before it is done.
#pragma once

#include <arrow/util/cancel.h>

#include <utility>

namespace uzushio {

// While it lives, what this thread does may be asked to stop by the token. ParallelFor hands the token on to its
// threads and asks it before each item, so that no stage has to carry it through its steps.
class StopScope {
 public:
  explicit StopScope(arrow::StopToken token) : before_(std::exchange(Current(), std::move(token))) {}
  ~StopScope() { Current() = std::move(before_); }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  // This thread's. It never stops anything where nobody has set one.
  static arrow::StopToken& Current() {
    thread_local arrow::StopToken token;
    return token;
  }

 private:
  arrow::StopToken before_;
};

// Cancelled when this thread's work is no longer wanted.
inline arrow::Status CheckStop() { return StopScope::Current().Poll(); }

}  // namespace uzushio
