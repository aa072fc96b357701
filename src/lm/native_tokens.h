// The C side of native/src/sudachi.rs and native/src/tokens.rs: Sudachi, Hugging Face tokenizers.
#pragma once

#include <cstddef>
#include <cstdint>

struct UzSudachiDictionary;
struct UzSudachiTokenizer;
struct UzTokenCounter;

extern "C" {
struct UzSudachiMorpheme {
  uint32_t begin;
  uint32_t end;
  uint32_t is_space;
};
UzSudachiDictionary* uz_sudachi_open(const uint8_t* path, size_t path_length, uint8_t* error, size_t error_capacity,
                                     size_t* error_length);
void uz_sudachi_close(UzSudachiDictionary* dictionary);
UzSudachiTokenizer* uz_sudachi_tokenizer(const UzSudachiDictionary* dictionary, uint32_t mode);
void uz_sudachi_tokenizer_free(UzSudachiTokenizer* tokenizer);
int64_t uz_sudachi_tokenize(UzSudachiTokenizer* tokenizer, const uint8_t* text, size_t length,
                            UzSudachiMorpheme* morphemes);

UzTokenCounter* uz_tokens_open(const uint8_t* json, size_t json_length, uint8_t* error, size_t error_capacity,
                               size_t* error_length);
void uz_tokens_close(UzTokenCounter* counter);
int64_t uz_tokens_ids(const UzTokenCounter* counter, const uint8_t* text, size_t length, uint32_t* ids, size_t room,
                      uint8_t* error, size_t error_capacity, size_t* error_length);
void uz_tokens_vocabulary(const UzTokenCounter* counter, uint64_t* size, int64_t* unknown, uint64_t* median_length);
int64_t uz_tokens_count(const UzTokenCounter* counter, const uint8_t* text, size_t length, uint8_t* error,
                        size_t error_capacity, size_t* error_length);
}
