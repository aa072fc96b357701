#include "html/boosted_trees.h"

#include <algorithm>
#include <array>

namespace uzushio {
namespace {

// Rows that go down a tree together: what each waits for is loaded while the others go on.
constexpr size_t kTogether = 8;

template <size_t kRows>
void SumRows(std::span<const DecisionTree> trees, const float* rows, size_t width, float* sums) {
  std::array<float, kRows> total{};
  for (const DecisionTree& tree : trees) {
    std::array<uint32_t, kRows> node{};
    for (size_t level = 0; level < DecisionTree::kDepth; ++level) {
      for (size_t i = 0; i < kRows; ++i) {
        const bool right = rows[i * width + tree.features[node[i]]] > tree.thresholds[node[i]];
        node[i] = 2 * node[i] + 1 + static_cast<uint32_t>(right);
      }
    }
    for (size_t i = 0; i < kRows; ++i) total[i] += tree.values[node[i] - ((1 << DecisionTree::kDepth) - 1)];
  }
  std::ranges::copy(total, sums);
}

}  // namespace

void SumTrees(std::span<const DecisionTree> trees, const float* rows, size_t width, std::span<float> sums) {
  size_t i = 0;
  for (; i + kTogether <= sums.size(); i += kTogether) {
    SumRows<kTogether>(trees, rows + i * width, width, sums.data() + i);
  }
  for (; i < sums.size(); ++i) SumRows<1>(trees, rows + i * width, width, sums.data() + i);
}

}  // namespace uzushio
