// Sums of decision trees, as gradient boosting makes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/machine.h"

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

// Rows that are scored together, a block.
inline constexpr size_t kTreeRows = 64;

// Puts values of features into bins. The bin of a value is the number of the feature's thresholds that are less, so
// that bins compare with a threshold's number as values do with the threshold, and take one byte each.
class FeatureBins {
 public:
  static constexpr size_t kMostThresholds = 126;  // of one feature, without infinite ones, in all trees

  FeatureBins() = default;
  // For trees over so many features.
  FeatureBins(size_t features, std::span<const std::span<const DecisionTree>> trees);

  // False if a feature has more thresholds.
  bool Fits() const { return fits_; }
  size_t features() const { return features_.size(); }
  // Bytes of a block's bins: kTreeRows for each feature, one feature after another.
  size_t BlockBytes() const { return features_.size() * kTreeRows; }

  // Bins of `count` features from `first` on, of `rows` rows. Feature f of row i is columns[f * stride + i]; columns
  // have kTreeRows rows, of which the last ones may be any number. `wide` needs AVX2, and gives the same, as in `Sum`.
  void Bin(size_t first, size_t count, size_t rows, const float* columns, size_t stride, int8_t* bins,
           bool wide = HasAvx2()) const;

  // The number of a feature's threshold.
  size_t NumberOf(size_t feature, float threshold) const;

 private:
  // A feature's thresholds, in ascending order, are found in two steps: `pivots` part them into groups of `group`
  // thresholds, whose last one the pivot is, and the others of a group are in a table, the i-th ones of eight groups
  // in a row.
  struct Feature {
    std::vector<float> thresholds;
    size_t pivots = 0;
    size_t group = 1;
    std::vector<float> tables;  // (group - 1) × 8
  };
  static void Divide(Feature* feature);
  static void BinByCounting(const Feature& feature, size_t rows, const float* column, int8_t* bins);
  template <size_t kPivots>
  static void BinByPivots(const Feature& feature, size_t rows, const float* column, int8_t* bins);
  static void BinByTables(const Feature& feature, size_t rows, const float* column, int8_t* bins);

  std::vector<Feature> features_;
  bool fits_ = true;
};

// Trees that compare bins.
class BinnedTrees {
 public:
  BinnedTrees() = default;
  BinnedTrees(std::span<const DecisionTree> trees, const FeatureBins& bins);

  // The sum of the trees' values for the rows, kTreeRows at most, of a block of bins. A row's sum is taken tree by
  // tree, in numbers of 32 bits: it is the same on any machine, and whatever rows stand beside it.
  void Sum(const int8_t* bins, std::span<float> sums, bool wide = HasAvx2()) const;

 private:
  // A bin less than its node's limit goes left. Sets of four equal bytes, which processors load in one step.
  struct Tree {
    std::array<uint32_t, DecisionTree::kNodes> limits;
    std::array<uint16_t, DecisionTree::kNodes> columns;                              // offsets in a block
    std::array<float, DecisionTree::kNodes + 1> values;                              // by the number of Numbers
    alignas(16) std::array<std::array<uint8_t, DecisionTree::kNodes + 1>, 4> bytes;  // of the values, lowest first
  };
  struct Kernels;

  std::vector<Tree> trees_;
};

}  // namespace uzushio
