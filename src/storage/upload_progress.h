// Telling how far an upload is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace uzushio {

// Gets the bytes that are done, of how many, and what to say beside them. Calls do not overlap.
using UploadListener = std::function<void(int64_t done, int64_t total, const std::string& note)>;

// While it lives, outputs that this thread commits tell the listener of their uploads, so that no stage has to carry
// it.
class UploadScope {
 public:
  explicit UploadScope(UploadListener listener) : before_(std::exchange(Current(), std::move(listener))) {}
  ~UploadScope() { Current() = std::move(before_); }
  UploadScope(const UploadScope&) = delete;
  UploadScope& operator=(const UploadScope&) = delete;

  // This thread's; empty where nobody listens.
  static UploadListener& Current() {
    thread_local UploadListener listener;
    return listener;
  }

 private:
  UploadListener before_;
};

}  // namespace uzushio
