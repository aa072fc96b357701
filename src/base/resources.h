// What a run may take of the machine.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <optional>

#include "base/machine.h"
#include "base/options.h"

namespace uzushio {

struct Resources {
  int threads = MachineThreads();
  std::optional<int64_t> memory;  // bytes; none: half of the machine's

  static const Options<Resources>& Declared();
};

// The memory that is asked for, else half of the machine's or `least`. Errors: less than `least` is asked for.
arrow::Result<int64_t> ChooseMemory(const Resources& resources, int64_t least);

}  // namespace uzushio
