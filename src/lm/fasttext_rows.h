// The vectors of words and n-grams of a fastText model.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace uzushio {

class FastTextRows {
 public:
  virtual ~FastTextRows() = default;
  // Adds the rows to `sum`, which has the model's columns, in their order, with the roundings of fastText.
  virtual void Add(const std::vector<int32_t>& rows, float* sum) const = 0;
  // Bytes of memory that it takes beside the file.
  virtual int64_t memory() const = 0;
};

// Of the matrix of a .bin: `values` are its numbers, at any address, and stay where they are.
std::unique_ptr<const FastTextRows> DenseFastTextRows(std::string_view values, int32_t columns);

// Of the matrix of a .ftz, as CheckFastText has read it: products of vectors of some columns each (Jégou et al. 2011),
// perhaps with norms.
std::unique_ptr<const FastTextRows> QuantizedFastTextRows(std::string_view matrix);

}  // namespace uzushio
