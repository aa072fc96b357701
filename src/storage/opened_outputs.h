// Telling what an output is opened for, before anything of it is written.
#pragma once

#include <arrow/status.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

namespace uzushio {

// Gets the place of an output and the identity of the run that is to write it, as its manifest will have it. An error
// ends the stage, which has written nothing then.
using OpenedListener = std::function<arrow::Status(const std::filesystem::path& place, const nlohmann::json& run)>;

// While it lives, outputs that this thread opens are told to the listener, so that no stage has to carry it.
class OpenedScope {
 public:
  explicit OpenedScope(OpenedListener listener) : before_(std::exchange(Current(), std::move(listener))) {}
  ~OpenedScope() { Current() = std::move(before_); }
  OpenedScope(const OpenedScope&) = delete;
  OpenedScope& operator=(const OpenedScope&) = delete;

  // This thread's; empty where nobody listens.
  static OpenedListener& Current() {
    thread_local OpenedListener listener;
    return listener;
  }

 private:
  OpenedListener before_;
};

}  // namespace uzushio
