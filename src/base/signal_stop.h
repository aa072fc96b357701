// Signals that ask this process to end, as a token that work asks (base/stop.h).
#pragma once

#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <csignal>
#include <memory>
#include <utility>

namespace uzushio {

// While it lives, SIGINT and SIGTERM cancel `token()`, and do not end the process. One at a time.
class SignalStop {
 public:
  static arrow::Result<std::unique_ptr<SignalStop>> Make() {
    ARROW_ASSIGN_OR_RAISE(arrow::StopSource * source, arrow::SetSignalStopSource());
    std::unique_ptr<SignalStop> stop(new SignalStop(source->token()));
    ARROW_RETURN_NOT_OK(arrow::RegisterCancellingSignalHandler({SIGINT, SIGTERM}));
    return stop;
  }
  ~SignalStop() {
    arrow::UnregisterCancellingSignalHandler();
    arrow::ResetSignalStopSource();
  }
  SignalStop(const SignalStop&) = delete;
  SignalStop& operator=(const SignalStop&) = delete;

  const arrow::StopToken& token() const { return token_; }

 private:
  explicit SignalStop(arrow::StopToken token) : token_(std::move(token)) {}
  arrow::StopToken token_;
};

}  // namespace uzushio
