// The model of main content that tools/train_main_content.py makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "html/main_content/boosted_trees.h"
#include "html/main_content/features.h"

namespace uzushio {

// The file: "UZMC0002"; the numbers of features of the two passes that it was trained on; the number of tokens, of
// classes, ids, texts and links, their hashes, sorted, and their scores (of 32 and 16 bits, to a multiple of 4 bytes);
// then for each of the two passes the number of trees and the trees, as DecisionTree. Little-endian. It is a part of
// the program.
struct MainContentModel {
  uint64_t digest = 0;  // of the file
  size_t features = 0;
  size_t context_features = 0;
  TokenScores tokens;
  std::span<const DecisionTree> first;
  std::span<const DecisionTree> second;
  FeatureBins bins;  // of both
  BinnedTrees first_binned;
  BinnedTrees second_binned;

  static const MainContentModel& Get();
};

}  // namespace uzushio
