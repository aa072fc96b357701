#include "stages/report/quantile_sketch.h"

#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace uzushio {
namespace {

const std::vector<double> kAt = {0, 0.01, 0.25, 0.5, 0.75, 0.99, 1};

std::shared_ptr<arrow::DoubleArray> ArrayOf(const std::vector<double>& values) {
  arrow::DoubleBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return std::static_pointer_cast<arrow::DoubleArray>(builder.Finish().ValueOrDie());
}

class QuantileSketches : public testing::Test {
 protected:
  QuantileSketches() { EXPECT_TRUE(arrow::compute::Initialize().ok()); }
};

// Within 0.5 % of the rank; equal where it is merged in the same order.
TEST_F(QuantileSketches, AreNearTheTruth) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> spread(0, 2);
  std::vector<double> all;
  const auto sum = [&](int seed) {
    random.seed(seed);
    all.clear();
    QuantileSketch whole = QuantileSketch::Make(kAt).ValueOrDie();
    for (int part = 0; part < 20; ++part) {
      QuantileSketch one = QuantileSketch::Make(kAt).ValueOrDie();
      std::vector<double> values(5000);
      for (double& value : values) all.push_back(value = spread(random));
      values[17] = all[all.size() - 5000 + 17] = part;
      EXPECT_TRUE(one.Add(*ArrayOf(values)).ok());
      values.assign(3, std::nan(""));
      EXPECT_TRUE(one.Add(*ArrayOf(values)).ok());
      EXPECT_TRUE(whole.Merge(std::move(one)).ok());
    }
    return whole.Values().ValueOrDie();
  };
  const std::vector<double> values = sum(3);
  EXPECT_EQ(values, sum(3));
  std::ranges::sort(all);
  EXPECT_EQ(values.front(), all.front());
  EXPECT_EQ(values.back(), all.back());
  for (size_t i = 0; i < kAt.size(); ++i) {
    const auto rank = static_cast<double>(std::ranges::lower_bound(all, values[i]) - all.begin());
    EXPECT_NEAR(rank / static_cast<double>(all.size()), kAt[i], 0.005);
  }
}

TEST_F(QuantileSketches, OfNothingAreNone) {
  QuantileSketch sketch = QuantileSketch::Make(kAt).ValueOrDie();
  EXPECT_TRUE(sketch.Values().ValueOrDie().empty());
  EXPECT_TRUE(sketch.Add(*ArrayOf({std::nan("")})).ok());
  EXPECT_TRUE(sketch.Values().ValueOrDie().empty());
  EXPECT_TRUE(sketch.Add(*ArrayOf({4})).ok());
  EXPECT_EQ(sketch.Values().ValueOrDie(), std::vector<double>(kAt.size(), 4));
}

}  // namespace
}  // namespace uzushio
