#include "html/main_content/boosted_trees.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <random>
#include <vector>

namespace uzushio {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The value that one row comes to, by going down from a node.
float ValueBelow(const DecisionTree& tree, size_t node, const std::vector<float>& row) {
  if (node >= DecisionTree::kNodes) return tree.values[node - DecisionTree::kNodes];
  const bool right = row[tree.features[node]] > tree.thresholds[node];
  return ValueBelow(tree, 2 * node + (right ? 2 : 1), row);
}

TEST(SumTrees, IsTheSumOfTheLeavesThatRowsComeTo) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&random](size_t n) { return random() % n; };
    // Few numbers, so that features are often equal to thresholds.
    const auto number = [&] { return static_cast<float>(below(9)) - 4; };
    const size_t columns = 1 + below(256);
    std::vector<DecisionTree> trees(below(20));
    for (DecisionTree& tree : trees) {
      for (float& threshold : tree.thresholds) threshold = below(4) == 0 ? kInfinity : number();
      for (float& value : tree.values) value = number() / 7;
      for (uint8_t& feature : tree.features) feature = static_cast<uint8_t>(below(columns));
    }
    const size_t rows = *rc::gen::inRange<size_t>(0, 51);
    const size_t stride = ((rows + kTreeRows - 1) / kTreeRows + below(3)) * kTreeRows;
    std::vector<float> all(columns * stride, kNaN);
    std::vector<std::vector<float>> by_row(rows, std::vector<float>(columns));
    for (size_t i = 0; i < rows; ++i) {
      for (size_t f = 0; f < columns; ++f) {
        by_row[i][f] = below(30) == 0 ? kInfinity : number();
        all[f * stride + i] = by_row[i][f];
      }
    }
    std::vector<float> sums(rows, kNaN);
    SumTrees(trees, all.data(), stride, sums);
    for (size_t i = 0; i < rows; ++i) {
      float sum = 0;
      for (const DecisionTree& tree : trees) sum += ValueBelow(tree, 0, by_row[i]);
      RC_ASSERT(sums[i] == sum);
    }
  }));
}

TEST(SumTrees, OfNoTreesIsNothing) {
  const std::vector<float> columns(kTreeRows, kNaN);
  std::vector<float> sums = {1, 2, 3};
  SumTrees({}, columns.data(), kTreeRows, sums);
  EXPECT_EQ(sums, (std::vector<float>{0, 0, 0}));
}

}  // namespace
}  // namespace uzushio
