#include "html/main_content/boosted_trees.h"

#include <algorithm>
#include <cstring>

namespace uzushio {
namespace {

// A function for each of these machines; the right one is chosen when the program starts.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)  // whose functions have to wait until it is set up
#define UZUSHIO_FOR_EACH_MACHINE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define UZUSHIO_FOR_EACH_MACHINE
#endif

typedef float Rows __attribute__((vector_size(kTreeRows * sizeof(float))));  // NOLINT(modernize-use-using)

// The values that the rows come to below a node, by looking at all of its subtree: comparing many rows at once with
// each of a tree's nodes takes less time than following each row, where a comparison waits for the one before.
template <size_t kNode>
[[gnu::always_inline]] inline void ValueBelow(const DecisionTree& tree, const float* columns, size_t stride,
                                              Rows* out) {
  if constexpr (kNode >= DecisionTree::kNodes) {
    *out = Rows{} + tree.values[kNode - DecisionTree::kNodes];
  } else {
    Rows left;
    Rows right;
    Rows feature;
    ValueBelow<2 * kNode + 1>(tree, columns, stride, &left);
    ValueBelow<2 * kNode + 2>(tree, columns, stride, &right);
    std::memcpy(&feature, columns + tree.features[kNode] * stride, sizeof feature);
    *out = feature > tree.thresholds[kNode] ? right : left;
  }
}

UZUSHIO_FOR_EACH_MACHINE
void SumRows(const DecisionTree* trees, size_t count, const float* columns, size_t stride, float* sums) {
  Rows total{};
  for (size_t i = 0; i < count; ++i) {
    Rows value;
    ValueBelow<0>(trees[i], columns, stride, &value);
    total += value;
  }
  std::memcpy(sums, &total, sizeof total);
}

}  // namespace

void SumTrees(std::span<const DecisionTree> trees, const float* columns, size_t stride, std::span<float> sums) {
  float some[kTreeRows];
  for (size_t row = 0; row < sums.size(); row += kTreeRows) {
    SumRows(trees.data(), trees.size(), columns + row, stride, some);
    std::copy_n(some, std::min(kTreeRows, sums.size() - row), sums.data() + row);
  }
}

}  // namespace uzushio
