// The C side of native/src/lib.rs: encoding_rs and chardetng.
#pragma once

#include <cstddef>
#include <cstdint>

struct UzEncoding;
struct UzDecoder;

extern "C" {
const UzEncoding* uz_encoding_for_label(const uint8_t* label, size_t length);
const uint8_t* uz_encoding_name(const UzEncoding* encoding, size_t* length);
size_t uz_ascii_valid_up_to(const uint8_t* data, size_t length);
UzDecoder* uz_decoder_new(const UzEncoding* encoding);
void uz_decoder_free(UzDecoder* decoder);
size_t uz_decoder_max_length(const UzDecoder* decoder, size_t length);
size_t uz_decode(UzDecoder* decoder, const uint8_t* input, size_t input_length, uint8_t* output, size_t output_length,
                 bool last, size_t* written, bool* replaced);
void uz_count_faults(const UzEncoding* encoding, const uint8_t* input, size_t input_length, bool last, size_t most,
                     size_t* characters, size_t* faults);
const UzEncoding* uz_guess_encoding(const uint8_t* input, size_t length, bool japanese);
}
