#include "lm/tokenizer.h"

#include <gtest/gtest.h>

#include "base/test_support.h"
#include "lm/language_model.h"

namespace uzushio {
namespace {

TEST(MeanScore, LeavesOutTheLeastLikely) {
  const std::vector<float> scores = {-1, -8, -2, -3};
  EXPECT_DOUBLE_EQ(MeanScore(scores, 0), -3.5);
  EXPECT_DOUBLE_EQ(MeanScore(scores, 0.24), -3.5);
  EXPECT_DOUBLE_EQ(MeanScore(scores, 0.25), -2);
  EXPECT_DOUBLE_EQ(MeanScore(scores, 1), -1);  // never all
  EXPECT_DOUBLE_EQ(MeanScore({}, 0.5), 0);
}

}  // namespace
}  // namespace uzushio
