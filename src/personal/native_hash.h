// What native/src/keyed_hash.rs gives.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
void uz_hmac_sha256(const uint8_t* key, size_t key_length, const uint8_t* text, size_t text_length, uint8_t* hash);
}
