#include "cli/store_wait.h"

#include <chrono>
#include <ctime>

#include "storage/store_reads.h"

namespace uzushio {

ProcessUsage ProcessUsage::Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  timespec cpu{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return {std::chrono::duration<double>(now).count(),
          static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec), StoreReadSeconds()};
}

bool StoreWait::Look(const ProcessUsage& now) {
  constexpr double kLeastSeconds = 5;
  constexpr double kReading = 0.9;
  constexpr double kWorking = 0.5;
  const double seconds = now.time - before_.time;
  if (seconds < kLeastSeconds) return waits_;
  waits_ = now.store - before_.store >= kReading * seconds && now.cpu - before_.cpu <= kWorking * seconds * threads_;
  before_ = now;
  return waits_;
}

}  // namespace uzushio
