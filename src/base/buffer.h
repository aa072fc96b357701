// Memory that is used again and again.
#pragma once

#include <cstddef>

namespace uzushio {

// What a buffer keeps for the page or batch that comes next.
inline constexpr size_t kOrdinaryBuffer = size_t{1} << 20;

// Moves a string or vector that one large page has blown up back to the ordinary.
template <typename Buffer>
void TrimBuffer(Buffer* buffer) {
  if (buffer->capacity() * sizeof(typename Buffer::value_type) > kOrdinaryBuffer) Buffer().swap(*buffer);
}

}  // namespace uzushio
