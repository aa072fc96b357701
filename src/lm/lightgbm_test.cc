#include "lm/lightgbm.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace uzushio {
namespace {

// A tree of three leaves, and a leaf alone.
constexpr const char* kTrees = R"(tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=a b
tree_sizes=1 2

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
threshold=0.5 -1
decision_type=8 2
left_child=1 -2
right_child=-1 -3
leaf_value=1 2 4
is_linear=0
shrinkage=1


Tree=1
num_leaves=1
num_cat=0
leaf_value=0.25


end of trees

parameters:
end of parameters
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

double Predicted(const std::string& text, double a, double b) {
  std::vector<double> outputs;
  LightGbmModel::Parse(text).ValueOrDie().Predict(std::vector<double>{a, b}, &outputs);
  return outputs.front();
}

TEST(LightGbmModel, SumsLeaves) {
  EXPECT_EQ(Predicted(kTrees, 1, 0), 1.25);
  EXPECT_EQ(Predicted(kTrees, 0.5, -1), 2.25);
  EXPECT_EQ(Predicted(kTrees, 0.5, -0.5), 4.25);
}

TEST(LightGbmModel, HasDirectionsForWhatIsMissing) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Predicted(kTrees, none, -2), 1.25);  // missing NaN, to the right
  EXPECT_EQ(Predicted(Replaced(kTrees, "=8 2", "=10 2"), none, -2), 2.25);
  EXPECT_EQ(Predicted(Replaced(kTrees, "=8 2", "=0 2"), none, -2), 2.25);   // without it, NaN is 0
  EXPECT_EQ(Predicted(Replaced(kTrees, "=8 2", "=4 2"), 1e-40, -2), 1.25);  // missing zero, to the right
  EXPECT_EQ(Predicted(Replaced(kTrees, "=8 2", "=6 2"), none, -2), 2.25);
}

TEST(LightGbmModel, ConvertsByItsObjective) {
  const auto with = [](const std::string& objective) { return Replaced(kTrees, "objective=regression", objective); };
  EXPECT_DOUBLE_EQ(Predicted(with("objective=binary sigmoid:2"), 1, 0), 1 / (1 + std::exp(-2.5)));
  EXPECT_DOUBLE_EQ(Predicted(with("objective=poisson"), 1, 0), std::exp(1.25));
  EXPECT_DOUBLE_EQ(Predicted(with("objective=regression sqrt"), 1, 0), 1.25 * 1.25);
  EXPECT_DOUBLE_EQ(Predicted(with("objective=cross_entropy_lambda"), 1, 0), std::log1p(std::exp(1.25)));
  EXPECT_DOUBLE_EQ(Predicted(with("average_output\nobjective=binary sigmoid:1"), 1, 0), 1 / (1 + std::exp(-0.625)));
  const std::string two = Replaced(with("objective=multiclass num_class:2"), "iteration=1", "iteration=2");
  EXPECT_DOUBLE_EQ(Predicted(two, 1, 0), std::exp(1) / (std::exp(1) + std::exp(0.25)));
}

// What is not read is not kept: other programs write lines of their own.
TEST(LightGbmModel, MayHaveOtherLines) {
  std::string lines = "version=v4\n";
  for (int i = 0; i < 100'000; ++i) lines += std::to_string(i) + "\n";
  EXPECT_EQ(Predicted(Replaced(kTrees, "version=v4\n", lines), 1, 0), 1.25);
}

TEST(LightGbmModel, ThatIsBrokenIsRefused) {
  const auto fault = [](const std::string& text) {
    const auto model = LightGbmModel::Parse(text);
    return model.ok() ? "none" : model.status().message();
  };
  const auto with = [&](const std::string& from, const std::string& to) { return fault(Replaced(kTrees, from, to)); };
  using testing::HasSubstr;
  const std::string all = kTrees;
  const size_t end = all.find("end of trees") + std::string("end of trees").size();
  for (size_t size = 0; size < end; ++size) ASSERT_NE(fault(all.substr(0, size)), "none") << size;
  EXPECT_EQ(fault(all.substr(0, end)), "none");
  EXPECT_THAT(with("left_child=1", "left_child=0"), HasSubstr("leads nowhere, or back"));
  EXPECT_THAT(with("left_child=1", "left_child=2"), HasSubstr("leads nowhere, or back"));
  EXPECT_THAT(with("right_child=-1 -3", "right_child=-1 -4"), HasSubstr("leads nowhere, or back"));
  EXPECT_THAT(with("split_feature=0 1", "split_feature=0 2"), HasSubstr("a feature that there is not"));
  EXPECT_THAT(with("split_feature=0 1", "split_feature=0 -1"), HasSubstr("a feature that there is not"));
  EXPECT_THAT(with("threshold=0.5 -1", "threshold=0.5"), HasSubstr("no threshold, or another number"));
  EXPECT_THAT(with("threshold=0.5", "threshold=nan"), HasSubstr("of no known kind"));
  EXPECT_THAT(with("leaf_value=1 2 4", "leaf_value=1 inf 4"), HasSubstr("a leaf is no number"));
  EXPECT_THAT(with("decision_type=8", "decision_type=9"), HasSubstr("of no known kind"));
  EXPECT_THAT(with("num_cat=0", "num_cat=1"), HasSubstr("by categories"));
  EXPECT_THAT(with("is_linear=0", "is_linear=1"), HasSubstr("linear trees"));
  EXPECT_THAT(with("num_leaves=3", "num_leaves=131072"), HasSubstr("another number"));
  EXPECT_THAT(with("num_leaves=3", "num_leaves=4000000000"), HasSubstr("no leaves, or more than 131072"));
  EXPECT_THAT(with("leaf_value=1 2 4", "leaf_value=1 2 4 8"), HasSubstr("no leaf_value, or another number"));
  EXPECT_THAT(with("regression", "mine"), HasSubstr("none that is known"));
  EXPECT_THAT(with("max_feature_idx=1", "max_feature_idx=-1"), HasSubstr("its header has no numbers"));
  EXPECT_THAT(with("num_tree_per_iteration=1", "num_tree_per_iteration=3"), HasSubstr("trees are missing"));
}

// Every byte is changed to what numbers and lines are made of: refused, or used within its bounds, which sanitizers
// watch.
TEST(LightGbmModel, ThatIsChangedIsUsedWithinItsBounds) {
  std::string text = kTrees;
  size_t used = 0;
  for (char& changed : text) {
    const char before = changed;
    for (const char byte : std::string_view("-019 .en=\n\xff")) {
      changed = byte;
      const auto model = LightGbmModel::Parse(text);
      if (!model.ok()) continue;
      std::vector<double> outputs;
      for (const double number : {-1e300, 0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
        model->Predict(std::vector<double>(model->features(), number), &outputs);
        ASSERT_EQ(outputs.size(), model->outputs());
      }
      ++used;
    }
    changed = before;
  }
  EXPECT_GT(used, 1000U);
}

}  // namespace
}  // namespace uzushio
