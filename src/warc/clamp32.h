// Lengths for libraries that count in 32 bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace uzushio {

// As many of the bytes as a call of ISA-L takes; the rest is for the next one.
inline uint32_t Clamp32(size_t size) {
  return static_cast<uint32_t>(std::min<size_t>(size, std::numeric_limits<int32_t>::max()));
}

}  // namespace uzushio
