// What all C sides of native/ have to do with, and that of native/src/lib.rs which concerns UTF-8: simdutf8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" {
size_t uz_utf8_valid_up_to(const uint8_t* data, size_t length);
}

namespace uzushio {

inline const uint8_t* AsBytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

}  // namespace uzushio
