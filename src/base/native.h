// The C side of native/src/lib.rs that concerns UTF-8: simdutf8.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
size_t uz_utf8_valid_up_to(const uint8_t* data, size_t length);
}
