// Arrays of numbers in files of the format safetensors (github.com/huggingface/safetensors: a size, a header in JSON,
// the numbers).
#pragma once

#include <arrow/result.h>

#include <bit>
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

// Numbers of 16 bits (IEEE 754). The bits are those of a number of 32 bits whose exponent is 112 too small, also where
// it is 0; that of infinity and of no numbers is put right. Without branches, so that loops over it are vectorized.
inline float FromHalf(uint16_t half) {
  constexpr uint32_t kInfinite = 0x7C00;
  constexpr uint32_t kMostExponent = 0x7F800000;
  constexpr int kFraction = 13;  // bits that it has less
  const uint32_t size = half & 0x7FFFU;
  const uint32_t sign = (half & 0x8000U) << 16;
  const uint32_t finite = std::bit_cast<uint32_t>(std::bit_cast<float>(size << kFraction) * 0x1p112F);
  return std::bit_cast<float>((size < kInfinite ? finite : size << kFraction | kMostExponent) | sign);
}
// Rounded to the nearest, to the even one of two.
float RoundedToHalf(float number);

}  // namespace uzushio
