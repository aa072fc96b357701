// Whether a file of fastText's can be loaded and used without reading outside of it.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace uzushio {

// Where the parts of a model are in its file.
struct FastTextLayout {
  int32_t version = 0;
  size_t dictionary = 0;  // where it begins
  size_t input = 0;       // where the matrix of words, and of n-grams, begins
  size_t input_end = 0;
  size_t output = 0;  // where the matrix of labels begins
  int64_t rows = 0;   // of the first matrix
  int32_t columns = 0;
  bool quantized_input = false;
  bool quantized_output = false;
};

// What a dense matrix has before its numbers: rows and columns, of eight bytes each.
inline constexpr size_t kDenseMatrixHeader = 16;
// Neither a number of a model nor a sum of them over a text may be larger: what is computed from them is finite.
inline constexpr float kMostFastTextWeight = 1e6F;
inline constexpr float kMostFastTextSum = 1e13F;

// fastText believes what a model says. This reads before it all that decides where it looks, how far it goes back and
// how much it takes: header, words and labels, sizes of matrices, rows of n-grams that are left of a pruned model,
// counts of labels where they are a tree; and the numbers of quantized matrices and of the matrix of labels. The
// numbers of a dense matrix of words are not read. Errors: Invalid, with what is wrong.
arrow::Result<FastTextLayout> CheckFastText(std::string_view bytes);

}  // namespace uzushio
