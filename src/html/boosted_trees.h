// Sums of decision trees, as gradient boosting makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace uzushio {

// A complete tree. Node i has the children 2i + 1, for features up to its threshold, and 2i + 2; leaves follow the nodes.
// Trees lie in the model's file as they do here.
struct DecisionTree {
  static constexpr size_t kDepth = 5;
  float thresholds[(1 << kDepth) - 1];
  float values[1 << kDepth];
  uint8_t features[1 << kDepth];  // the last one is not used
};
static_assert(sizeof(DecisionTree) == 4 * 31 + 4 * 32 + 32);

// The sum of the trees' values for each row: `sums.size()` rows of `width` features, one behind the other. A row's sum is
// taken tree by tree, so that it is the same whatever rows stand beside it.
void SumTrees(std::span<const DecisionTree> trees, const float* rows, size_t width, std::span<float> sums);

}  // namespace uzushio
