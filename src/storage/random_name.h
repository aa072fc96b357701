// Names for what is made beside others'.
#pragma once

#include <string>

namespace uzushio {

// 16 hexadecimal digits, which no other process chooses.
std::string RandomName();

}  // namespace uzushio
