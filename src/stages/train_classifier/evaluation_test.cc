#include "stages/train_classifier/evaluation.h"

#include <gtest/gtest.h>

namespace uzushio {
namespace {

TEST(ClassifierEvaluation, CountsAndShares) {
  const std::vector<int32_t> truth = {0, 0, 0, 1, 1};
  const std::vector<float> probabilities = {0.75F, 0.25F, 0.5F, 0.5F, 0.25F, 0.75F, 0.25F, 0.75F, 1.0F, 0.0F};
  const ClassifierEvaluation all = Evaluate({"a", "b"}, truth, probabilities);
  EXPECT_EQ(all.texts, 5);
  EXPECT_EQ(all.right, 3);
  EXPECT_DOUBLE_EQ(*all.accuracy(), 0.6);
  const LabelEvaluation& a = all.labels[0];
  EXPECT_EQ(a.texts, 3);
  EXPECT_EQ(a.predicted, 3);  // equal probabilities: the first
  EXPECT_EQ(a.right, 2);
  EXPECT_DOUBLE_EQ(*a.precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*a.recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*a.f1, 2.0 / 3);
  // Of six pairs: .75 and .5 are above .25 and below 1, .25 equals .25.
  EXPECT_DOUBLE_EQ(*a.auc, 2.5 / 6);
  EXPECT_DOUBLE_EQ(*a.threshold, 0.25);
  EXPECT_DOUBLE_EQ(a.threshold_f1, 0.75);
}

TEST(ClassifierEvaluation, ComparesProbabilitiesWithShares) {
  const std::vector<float> probabilities = {0.0F, 1.0F, 0.25F, 0.75F, 0.25F, 0.75F, 1.00001F, 0.0F};
  const ClassifierEvaluation all = Evaluate({"a", "b"}, std::vector<int32_t>{1, 0, 1, 0}, probabilities);
  const LabelEvaluation& a = all.labels[0];
  EXPECT_EQ(a.bins[0].texts, 1);
  EXPECT_EQ(a.bins[2].texts, 2);
  EXPECT_EQ(a.bins[2].right, 1);
  EXPECT_EQ(a.bins[9].texts, 1);  // which goes beyond 1
  EXPECT_NEAR(*a.calibration_error, 0.5 / 4, 1e-5);
  // Three of the most probable labels are right, at 1, .75, and 1; one is not, at .75.
  EXPECT_EQ(all.bins[7].texts, 2);
  EXPECT_EQ(all.bins[9].texts, 2);
  EXPECT_NEAR(*all.calibration_error, 0.5 / 4, 1e-5);
}

TEST(ClassifierEvaluation, OfNothingIsMissing) {
  const ClassifierEvaluation none = Evaluate({"a", "b"}, {}, {});
  EXPECT_FALSE(none.accuracy());
  EXPECT_FALSE(none.labels[1].precision || none.labels[1].auc || none.labels[1].threshold);
  const ClassifierEvaluation one = Evaluate({"a", "b"}, std::vector<int32_t>{0}, std::vector<float>{0.75F, 0.25F});
  EXPECT_FALSE(one.labels[0].auc || one.labels[1].recall || one.labels[1].precision || one.labels[1].threshold);
  EXPECT_TRUE(ToJson(one)["labels"][1]["threshold_f1"].is_null());
}

}  // namespace
}  // namespace uzushio
