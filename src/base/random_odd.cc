#include "base/random_odd.h"

#include <sys/random.h>

#include <chrono>

namespace uzushio {

uint64_t RandomOdd() {
  uint64_t value = 0;
  if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
    value = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) * 0x9E3779B97F4A7C15U;
  }
  return value | 1;
}

}  // namespace uzushio
