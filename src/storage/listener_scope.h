// Listening to what a thread does, without a stage that carries the listener.
#pragma once

#include <utility>

namespace uzushio {

// While it lives, what this thread does is told to the listener. Each type of listener has its own; they nest.
template <typename Listener>
class ListenerScope {
 public:
  explicit ListenerScope(Listener listener) : before_(std::exchange(Current(), std::move(listener))) {}
  ~ListenerScope() { Current() = std::move(before_); }
  ListenerScope(const ListenerScope&) = delete;
  ListenerScope& operator=(const ListenerScope&) = delete;

  // This thread's; empty where nobody listens.
  static Listener& Current() {
    thread_local Listener listener;
    return listener;
  }

 private:
  Listener before_;
};

}  // namespace uzushio
