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

class AnyTrees {
 public:
  // Thresholds are of so many numbers, so that features are often equal to them.
  AnyTrees(uint32_t seed, size_t numbers) : random_(seed), numbers_(numbers) {}

  size_t Below(size_t n) { return random_() % n; }
  float Number() { return (2 * static_cast<float>(Below(numbers_)) - static_cast<float>(numbers_)) / 3; }
  std::vector<DecisionTree> Trees(size_t columns) {
    std::vector<DecisionTree> trees(Below(20));
    for (DecisionTree& tree : trees) {
      for (float& threshold : tree.thresholds) threshold = Below(4) == 0 ? kInfinity : Number();
      for (float& value : tree.values) value = Number() / 7;
      for (uint8_t& feature : tree.features) feature = static_cast<uint8_t>(Below(columns));
    }
    return trees;
  }

 private:
  std::mt19937 random_;
  size_t numbers_;
};

TEST(BinnedTrees, SumTheLeavesThatRowsComeTo) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    AnyTrees any(seed, *rc::gen::element<size_t>(1, 2, 9, 30, FeatureBins::kMostThresholds));
    const size_t columns = 1 + any.Below(256);
    const std::vector<DecisionTree> first = any.Trees(columns);
    const std::vector<DecisionTree> second = any.Trees(columns);
    const std::vector<std::span<const DecisionTree>> both = {first, second};
    const FeatureBins bins(columns, both);
    RC_ASSERT(bins.Fits());
    RC_ASSERT(bins.features() == columns);
    const size_t rows = *rc::gen::inRange<size_t>(0, kTreeRows + 1);
    const size_t stride = kTreeRows + any.Below(3) * 16;
    std::vector<float> all(columns * stride, kNaN);
    std::vector<std::vector<float>> by_row(rows, std::vector<float>(columns));
    for (size_t i = 0; i < rows; ++i) {
      for (size_t f = 0; f < columns; ++f) {
        const size_t sort = any.Below(60);
        by_row[i][f] = sort == 0 ? kInfinity : sort == 1 ? -kInfinity : sort == 2 ? kNaN : any.Number();
        all[f * stride + i] = by_row[i][f];
      }
    }
    std::vector<bool> kernels = {false};
    if (HasAvx2()) kernels.push_back(true);
    for (const bool wide : kernels) {
      std::vector<int8_t> block(bins.BlockBytes());
      const size_t half = columns / 2;
      bins.Bin(0, half, rows, all.data(), stride, block.data(), wide);
      bins.Bin(half, columns - half, rows, all.data(), stride, block.data(), wide);
      for (const auto& trees : {first, second}) {
        std::vector<float> sums(rows, kNaN);
        BinnedTrees(trees, bins).Sum(block.data(), sums, wide);
        for (size_t i = 0; i < rows; ++i) {
          float sum = 0;
          for (const DecisionTree& tree : trees) sum += ValueBelow(tree, 0, by_row[i]);
          RC_ASSERT(sums[i] == sum);
        }
      }
    }
  }));
}

TEST(BinnedTrees, OfNoTreesSumNothing) {
  const FeatureBins bins(1, {});
  const std::vector<int8_t> block(bins.BlockBytes(), 1);
  std::vector<float> sums = {1, 2, 3};
  BinnedTrees().Sum(block.data(), sums);
  EXPECT_EQ(sums, (std::vector<float>{0, 0, 0}));
}

// A bin is the number of thresholds below a value, wherever the thresholds are divided.
TEST(FeatureBins, AreNumbersOfThresholds) {
  for (size_t n = 0; n <= FeatureBins::kMostThresholds; ++n) {
    std::vector<DecisionTree> trees(n / DecisionTree::kNodes + 1);
    for (size_t i = 0; i < trees.size() * DecisionTree::kNodes; ++i) {
      trees[i / DecisionTree::kNodes].thresholds[i % DecisionTree::kNodes] = i < n ? static_cast<float>(i) : kInfinity;
    }
    const std::vector<std::span<const DecisionTree>> all = {trees};
    const FeatureBins bins(1, all);
    ASSERT_TRUE(bins.Fits());
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(bins.NumberOf(0, static_cast<float>(i)), i);
    for (const bool wide : {false, HasAvx2()}) {
      for (const float beside : {-0.5F, 0.0F, 0.5F}) {
        for (size_t first = 0; first <= n; first += kTreeRows) {
          std::vector<float> column(kTreeRows);
          for (size_t i = 0; i < kTreeRows; ++i) column[i] = static_cast<float>(first + i) + beside;
          std::vector<int8_t> block(bins.BlockBytes(), -1);
          bins.Bin(0, 1, kTreeRows, column.data(), kTreeRows, block.data(), wide);
          for (size_t i = 0; i < kTreeRows; ++i) {
            ASSERT_EQ(block[i], static_cast<int8_t>(std::min(n, first + i + (beside > 0 ? 1 : 0)))) << n;
          }
        }
      }
    }
  }
}

TEST(FeatureBins, DoNotFitMoreThresholdsThanBytesHave) {
  std::vector<DecisionTree> trees(3);
  for (size_t i = 0; i < trees.size() * DecisionTree::kNodes; ++i) {
    trees[i / DecisionTree::kNodes].thresholds[i % DecisionTree::kNodes] = static_cast<float>(i);
  }
  const std::vector<std::span<const DecisionTree>> all = {trees};
  EXPECT_FALSE(FeatureBins(1, all).Fits());
}

}  // namespace
}  // namespace uzushio
