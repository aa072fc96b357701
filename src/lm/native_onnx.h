// The C side of native/src/onnx.rs: models by ONNX Runtime.
#pragma once

#include <cstddef>
#include <cstdint>

struct UzTokenCounter;
struct UzOnnxModel;

extern "C" {
struct UzOnnxShape {
  uint64_t outputs;
  uint64_t memory;
  bool batches;
  char version[32];
};
struct UzPiece {
  const uint8_t* data;
  size_t length;
};
UzOnnxModel* uz_onnx_open(const uint8_t* library, size_t library_length, const uint8_t* model, size_t model_length,
                          const UzTokenCounter* tokenizer, size_t max_tokens, UzOnnxShape* shape, uint8_t* error,
                          size_t error_capacity, size_t* error_length);
void uz_onnx_close(UzOnnxModel* model);
bool uz_onnx_score(const UzOnnxModel* model, const UzPiece* texts, size_t count, double* outputs, uint8_t* error,
                   size_t error_capacity, size_t* error_length);
}
