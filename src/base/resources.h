// What a run may take of the machine.
#pragma once

#include <arrow/result.h>

#include <cstdint>

#include "base/machine.h"
#include "base/options.h"

namespace uzushio {

struct Resources {
  int threads = MachineThreads();
  int64_t memory = 0;  // bytes; 0: half of the machine's

  // What is asked for, or half of the machine's.
  int64_t memory_or_half() const { return memory > 0 ? memory : DefaultMemory(); }

  static const Options<Resources>& Declared();
};

// The memory that is asked for, else half of the machine's or `least`. Errors: less than `least` is asked for.
arrow::Result<int64_t> ChooseMemory(const Resources& resources, int64_t least);

}  // namespace uzushio
