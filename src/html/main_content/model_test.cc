#include "html/main_content/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

namespace uzushio {
namespace {

void ExpectSound(std::span<const DecisionTree> trees, size_t features) {
  EXPECT_FALSE(trees.empty());
  for (const DecisionTree& tree : trees) {
    for (size_t i = 0; i < DecisionTree::kNodes; ++i) ASSERT_LT(tree.features[i], features);
    for (const float threshold : tree.thresholds) ASSERT_FALSE(std::isnan(threshold));
    for (const float value : tree.values) ASSERT_TRUE(std::isfinite(value));
  }
}

// Trees ask for features that there are.
TEST(MainContentModel, IsSound) {
  const MainContentModel& model = MainContentModel::Get();
  ExpectSound(model.first, PageFeatures::Names().size());
  ExpectSound(model.second, PageFeatures::Names().size() + PageFeatures::ContextNames().size());
}

}  // namespace
}  // namespace uzushio
