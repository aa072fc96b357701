// What all C sides of native/ have to do with, and that of native/src/lib.rs which concerns UTF-8: simdutf8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" {
size_t uz_utf8_valid_up_to(const uint8_t* data, size_t length);
}

namespace uzushio {

// What a function of the library says of an error.
struct NativeError {
  std::array<uint8_t, 512> bytes{};
  size_t length = 0;
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), length}; }
};

inline const uint8_t* AsBytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

}  // namespace uzushio
