// Arrays of numbers in files of the format safetensors (github.com/huggingface/safetensors: a size, a header in JSON,
// the numbers).
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// An array, where it is in the file: numbers of one type, little-endian, the last dimension first, at any address.
struct Tensor {
  std::string type;  // F64, F32, F16, I64, I32, I8, …
  std::vector<int64_t> shape;
  std::string_view bytes;

  int64_t size() const {
    int64_t numbers = 1;
    for (const int64_t dimension : shape) numbers *= dimension;
    return numbers;
  }
  // Whether `At` reads the type.
  bool is_readable() const;
  // A number, by its place; of a type that is readable.
  double At(size_t place) const;
};

// The arrays of a file by their names; they are views of its bytes. All sizes and places are checked. Errors: Invalid,
// with what is wrong.
arrow::Result<std::map<std::string, Tensor>> ReadSafetensors(std::string_view bytes);

// Numbers of 16 bits (IEEE 754).
float FromHalf(uint16_t half);
// Rounded to the nearest, to the even one of two.
float RoundedToHalf(float number);

}  // namespace uzushio
