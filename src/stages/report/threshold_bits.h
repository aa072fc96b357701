// Comparing many metrics with a bound: a bit for each, 64 at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <variant>

#include "filters/removal_rule.h"

namespace uzushio {

// The bits of 64 values of which `is(value)` holds.
template <typename Number, typename Is>
uint64_t BitsWhere(const Number* values, Is is) {
  std::array<uint8_t, 64> found;  // NOLINT(cppcoreguidelines-pro-type-member-init): all are set
  for (size_t i = 0; i < found.size(); ++i) found[i] = is(values[i]) ? 1 : 0;
  uint64_t bits = 0;
  for (size_t i = 0; i < found.size(); i += 8) {
    uint64_t eight = 0;  // whose lowest bits the multiplication brings together in the highest byte
    std::memcpy(&eight, found.data() + i, sizeof eight);
    bits |= eight * 0x0102040810204080U >> 56 << i;
  }
  return bits;
}

// The number of 32 bits by which numbers of 32 bits compare as they do with `bound`.
float SingleBound(Removes removes, double bound);

// Sets the bits of those metrics that the threshold removes if its number is `number`, as Threshold::RemovesAt says.
// The values of word i are those from 64 * i on. Those of 32 bits are of a threshold that is single.
void AddBits(const Threshold& threshold, double number, const float* metrics, size_t begin, size_t end, uint64_t* bits);
void AddBits(const Threshold& threshold, double number, const double* metrics, size_t begin, size_t end,
             uint64_t* bits);
// The same of documents that are removed at random, as Sampling::RemovesAt says.
void AddBits(double expected, const double* metrics, const double* random, size_t begin, size_t end, uint64_t* bits);

}  // namespace uzushio
