// What tells texts from one another in records of runs.
#pragma once

#include <string>

namespace uzushio {

// The XXH64 of a text, 16 hexadecimal digits.
std::string ChecksumOf(const std::string& text);

}  // namespace uzushio
