#include "bindings/interruptible.h"

#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

#include "base/stop.h"
#include "bindings/interop.h"

namespace uzushio::python {

namespace nb = nanobind;

namespace {

constexpr std::chrono::milliseconds kInterval{50};

void LetPythonHaveItsTurn(Progress* progress, const nb::object& callback) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (callback.is_none()) return;
  if (const auto news = progress->Take()) callback(news->first, news->second);
}

}  // namespace

void RunInterruptibly(const std::function<void()>& work, Progress* progress, const nb::object& callback) {
  arrow::StopSource stop;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::exception_ptr thrown;  // by the work
  std::thread thread([&] {
    try {
      const StopScope scope(stop.token());
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  });
  std::exception_ptr raised;
  for (bool last = false; !last;) {
    {
      const ReleasedLock release;
      std::unique_lock lock(mutex);
      last = changed.wait_for(lock, kInterval, [&ended] { return ended; });
    }
    if (raised != nullptr) continue;
    try {
      LetPythonHaveItsTurn(progress, callback);
    } catch (...) {  // thrown again when the thread has ended
      raised = std::current_exception();
      stop.RequestStop();
    }
  }
  thread.join();
  if (raised != nullptr) std::rethrow_exception(raised);
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace uzushio::python
