// Boosted trees of LightGBM (Ke et al. 2017), from the text that `Booster.save_model` writes.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

class LightGbmModel {
 public:
  // Errors: it is no such text, or cut off; it has splits or leaves of other kinds than numbers: categories, linear
  // trees; a tree, or a number, is none.
  static arrow::Result<LightGbmModel> Parse(std::string_view text);

  size_t features() const { return features_; }
  size_t outputs() const { return outputs_; }
  // What it takes in memory.
  int64_t memory() const;

  // What `Booster.predict` gives for the features, one number for each output: the sums of leaves, or their means where
  // the model averages (random forests), converted as the objective has it.
  void Predict(std::span<const double> features, std::vector<double>* outputs) const;

 private:
  enum class Conversion : uint8_t { kNone, kSigmoid, kSoftmax, kExp, kSquare, kLogExp };
  struct Node {
    double threshold = 0;
    uint32_t feature = 0;
    int32_t left = 0;  // a node of the tree, or ~leaf
    int32_t right = 0;
    uint8_t decision = 0;  // LightGBM's decision_type
  };
  struct Tree {
    size_t nodes = 0;   // where they begin
    size_t leaves = 0;  // where they begin
    bool is_leaf = false;
  };
  class Parser;

  double Leaf(const Tree& tree, std::span<const double> features) const;
  void Convert(std::vector<double>* outputs) const;

  size_t features_ = 0;
  size_t outputs_ = 1;
  bool average_ = false;
  Conversion conversion_ = Conversion::kNone;
  double sigmoid_ = 1;
  std::vector<Tree> trees_;  // of all outputs, in turn
  std::vector<Node> nodes_;
  std::vector<double> leaves_;
};

}  // namespace uzushio
