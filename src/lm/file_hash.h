// What a file holds, as a number.
#pragma once

#include <arrow/result.h>

#include <string>

namespace uzushio {

// The XXH64 of a file's bytes, in hex. They are read, not mapped, so that they do not count as the process's.
arrow::Result<std::string> HashOfFile(const std::string& path);

}  // namespace uzushio
