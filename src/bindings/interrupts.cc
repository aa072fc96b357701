#include "bindings/interrupts.h"

#include <nanobind/nanobind.h>

#include <signal.h>

#include <atomic>

#include "bindings/declare.h"

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

}  // namespace

int64_t Interrupts() { return interrupts_arrived.load(std::memory_order_relaxed); }

void DeclareInterrupts(nanobind::module_& module) {
  module.def("count_interrupts", &CountInterrupts,
             "From now on; where Python sets another handler of SIGINT, until then.");
  module.def("interrupts", &Interrupts, "How many have arrived since they are counted.");
}

}  // namespace uzushio::python
