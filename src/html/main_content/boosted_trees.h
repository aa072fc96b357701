// Sums of decision trees, as gradient boosting makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace uzushio {

// A complete tree. Node i has the children 2i + 1, for features up to its threshold, and 2i + 2; leaves follow the
// nodes. Trees lie in the model's file as they do here.
struct DecisionTree {
  static constexpr size_t kDepth = 6;
  static constexpr size_t kNodes = (1 << kDepth) - 1;
  float thresholds[kNodes];
  float values[kNodes + 1];
  uint8_t features[kNodes + 1];  // the last one is not used
};
static_assert(sizeof(DecisionTree) == (4 + 4 + 1) * (DecisionTree::kNodes + 1) - 4);

// Rows that are looked at together.
inline constexpr size_t kTreeRows = 16;

// The sum of the trees' values for each row. Feature f of row i is columns[f * stride + i]; the stride is a multiple of
// kTreeRows, and what is behind the last row may be any number. A row's sum is taken tree by tree: it is the same on
// any machine, and whatever rows stand beside it.
void SumTrees(std::span<const DecisionTree> trees, const float* columns, size_t stride, std::span<float> sums);

}  // namespace uzushio
