// The names of the files of an input.
#pragma once

#include <cstddef>
#include <string>

namespace uzushio {

// "part-00042".
inline std::string PartName(size_t index) {
  const std::string number = std::to_string(index);
  return "part-" + std::string(number.size() < 5 ? 5 - number.size() : 0, '0') + number;
}

}  // namespace uzushio
