// Sizes as users write them.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>

namespace uzushio {

// Bytes from `512`, `64KiB`, `1.5GiB`, `2GB`.
arrow::Result<int64_t> ParseSize(const std::string& text);

// The memory that a run of so many threads has: what `asked` says, else half of what the process may have
// (base/machine.h) or `least`. Errors: less than `least` is asked for.
arrow::Result<int64_t> ChooseMemory(const std::string& asked, int threads, int64_t least);

}  // namespace uzushio
