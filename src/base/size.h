// Numbers of bytes as people write them.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>

namespace uzushio {

// Bytes from `512`, `64KiB`, `1.5GiB`, `2GB`.
arrow::Result<int64_t> ParseSize(const std::string& text);

// In the largest unit of which they are a whole number: 8MiB.
std::string SizeText(int64_t bytes);

}  // namespace uzushio
