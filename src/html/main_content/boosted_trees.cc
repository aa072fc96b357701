#include "html/main_content/boosted_trees.h"

#include <algorithm>
#include <array>
#include <cstring>

// Idea. All trees are complete and of the same depth, so that a row needs no test for leaves and trees need no
// pointers. With 512-bit registers, all 63 comparisons of a tree are made for 16 rows at once and the leaf is selected
// bottom-up: more comparisons than following a path (63 instead of 6), none of which waits for the one before or for an
// unpredicted branch. Without such registers, 16 rows follow their paths side by side, so that their loads overlap.
//
// Cost. O(trees) a row: 63 vector comparisons for 16 rows, or 6 dependent loads a row.
//
// Source. Gradient boosting: Friedman 2001. Scoring without branches: Asadi, Lin, de Vries 2014 ("Runtime Optimizations
// for Tree-based Machine Learning Models").
//
// Example. Depth 2, thresholds {5, 1, 9} of feature 0, values {a, b, c, d}: the row 7 goes right (7 > 5), then left (7
// <= 9) and gets c.
namespace uzushio {
namespace {

#if defined(__x86_64__)
typedef float Rows __attribute__((vector_size(kTreeRows * sizeof(float))));  // NOLINT(modernize-use-using)

// The values that the rows come to below a node, by looking at all of its subtree: comparing many rows at once with
// each of a tree's nodes takes less time than following each row, where a comparison waits for the one before.
template <size_t kNode, size_t kBlocks>
[[gnu::always_inline]] inline void ValueBelow(const DecisionTree& tree, const float* columns, size_t stride,
                                              std::array<Rows, kBlocks>* out) {
  if constexpr (kNode >= DecisionTree::kNodes) {
    out->fill(Rows{} + tree.values[kNode - DecisionTree::kNodes]);
  } else {
    std::array<Rows, kBlocks> left;
    std::array<Rows, kBlocks> right;
    ValueBelow<2 * kNode + 1>(tree, columns, stride, &left);
    ValueBelow<2 * kNode + 2>(tree, columns, stride, &right);
    const float* column = columns + tree.features[kNode] * stride;
    for (size_t i = 0; i < kBlocks; ++i) {
      Rows feature;
      std::memcpy(&feature, column + i * kTreeRows, sizeof feature);
      (*out)[i] = feature > tree.thresholds[kNode] ? right[i] : left[i];
    }
  }
}

template <size_t kBlocks>
[[gnu::target("avx512f")]] void SumByNodes(std::span<const DecisionTree> trees, const float* columns, size_t stride,
                                           float* sums) {
  std::array<Rows, kBlocks> total{};
  for (const DecisionTree& tree : trees) {
    std::array<Rows, kBlocks> value;
    ValueBelow<0>(tree, columns, stride, &value);
    for (size_t i = 0; i < kBlocks; ++i) total[i] += value[i];
  }
  std::memcpy(sums, total.data(), sizeof total);
}

bool HasWideRegisters() { return __builtin_cpu_supports("avx512f") != 0; }
#else
template <size_t kBlocks>
void SumByNodes(std::span<const DecisionTree>, const float*, size_t, float*) {}
bool HasWideRegisters() { return false; }
#endif

// Rows go down a tree side by side: what one waits for is loaded while the others go on.
void SumByPaths(std::span<const DecisionTree> trees, const float* columns, size_t stride, float* sums) {
  std::array<float, kTreeRows> total{};
  for (const DecisionTree& tree : trees) {
    std::array<uint32_t, kTreeRows> node{};
    for (size_t level = 0; level < DecisionTree::kDepth; ++level) {
      for (size_t i = 0; i < kTreeRows; ++i) {
        const bool right = columns[tree.features[node[i]] * stride + i] > tree.thresholds[node[i]];
        node[i] = 2 * node[i] + 1 + static_cast<uint32_t>(right);
      }
    }
    for (size_t i = 0; i < kTreeRows; ++i) total[i] += tree.values[node[i] - DecisionTree::kNodes];
  }
  std::ranges::copy(total, sums);
}

}  // namespace

void SumTrees(std::span<const DecisionTree> trees, const float* columns, size_t stride, std::span<float> sums) {
  constexpr size_t kBlocks = 2;  // a tree's numbers are loaded once for both
  static const bool wide = HasWideRegisters();
  std::array<float, kBlocks * kTreeRows> some{};
  for (size_t row = 0; row < sums.size();) {
    const size_t rest = sums.size() - row;
    const size_t blocks = wide && rest > kTreeRows ? kBlocks : 1;
    if (blocks == kBlocks) {
      SumByNodes<kBlocks>(trees, columns + row, stride, some.data());
    } else {
      const bool few = rest <= kTreeRows / 4;
      (few || !wide ? SumByPaths : SumByNodes<1>)(trees, columns + row, stride, some.data());
    }
    const size_t rows = std::min(blocks * kTreeRows, rest);
    std::copy_n(some.begin(), rows, sums.data() + row);
    row += rows;
  }
}

}  // namespace uzushio
