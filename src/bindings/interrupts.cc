#include "bindings/interrupts.h"

#include <nanobind/nanobind.h>

#include <signal.h>

#include <atomic>
#include <utility>

#include "bindings/declare.h"

namespace nb = nanobind;

namespace uzushio::python {
namespace {

std::atomic<int64_t> interrupts_arrived{0};
static_assert(std::atomic<int64_t>::is_always_lock_free);  // a handler of signals adds to it

// What was there before CountInterrupt, which goes on to call it. It does not change once CountInterrupt is in place.
struct sigaction handler_before = {};
bool has_handler_before = false;

bool IsSameHandler(const struct sigaction& a, const struct sigaction& b) {
  return (a.sa_flags & SA_SIGINFO) == (b.sa_flags & SA_SIGINFO) && a.sa_handler == b.sa_handler;
}

void CountInterrupt(int number, siginfo_t* info, void* context) {
  interrupts_arrived.fetch_add(1, std::memory_order_relaxed);
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
    handler_before.sa_sigaction(number, info, context);
  } else {
    handler_before.sa_handler(number);
  }
}

// Another handler than the one that was counted first stays as it is: it may itself call ours.
void CountInterrupts() {
  struct sigaction now = {};
  if (sigaction(SIGINT, nullptr, &now) != 0 || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
  if (has_handler_before && !IsSameHandler(now, handler_before)) return;
  handler_before = now;
  has_handler_before = true;
  struct sigaction ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = &CountInterrupt;
  sigaction(SIGINT, &ours, nullptr);
}

int CallAndRelease(void* callable) {
  const auto held = nb::steal(static_cast<PyObject*>(callable));
  if (Py_IsInitialized() == 0) return 0;  // the interpreter is at its end
  return nb::steal(PyObject_CallNoArgs(held.ptr())).is_valid() ? 0 : -1;
}

// From any thread that has the interpreter's lock. Not called where the interpreter is at its end, or has as many other
// calls to make as it keeps (32 in Python 3.11).
void CallInMainThread(nb::handle callable) {
  if (Py_IsInitialized() == 0) return;
  nb::object held = nb::borrow(callable);
  if (Py_AddPendingCall(&CallAndRelease, held.ptr()) == 0) held.release();
}

int64_t open_watches = 0;  // guarded by the interpreter's lock

// Something for which interrupts are watched, until it is freed. That runs no Python: an interrupt that comes then
// would be dropped there.
class Watch {
 public:
  explicit Watch(nb::object when_last_ends) : when_last_ends_(std::move(when_last_ends)) { ++open_watches; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (--open_watches == 0) CallInMainThread(when_last_ends_);
  }

 private:
  nb::object when_last_ends_;
};

}  // namespace

int64_t Interrupts() { return interrupts_arrived.load(std::memory_order_relaxed); }

void DeclareInterrupts(nb::module_& module) {
  nb::class_<Watch>(module, "Watch", "Something for which interrupts are watched, until it is freed, by any thread.")
      .def(nb::init<nb::object>(), nb::arg("when_last_ends"),
           "`when_last_ends` is called, in the main thread, when there is none any more.");
  module.def("is_watched", [] { return open_watches > 0; }, "Whether there is a `Watch`.");
  module.def("call_in_main_thread", &CallInMainThread, nb::arg("callable"),
             "Between two of its instructions, behind signals that wait.");
  module.def("count_interrupts", &CountInterrupts,
             "From now on; where Python sets another handler of SIGINT, until then.");
  module.def("interrupts", &Interrupts, "How many have arrived since they are counted.");
}

}  // namespace uzushio::python
