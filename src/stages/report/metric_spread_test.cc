#include "stages/report/metric_spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace uzushio {
namespace {

std::vector<double> Quantiles(double least, double greatest) {
  std::vector<double> quantiles;
  for (int i = 0; i <= 1000; ++i) quantiles.push_back(least + (greatest - least) * i / 1000);
  return quantiles;
}

bool Has(const std::vector<float>& edges, float edge) { return std::ranges::find(edges, edge) != edges.end(); }

TEST(Edges, RiseFromTheLeastToTheGreatest) {
  EXPECT_TRUE(EdgesOf({}, {}, 256).empty());
  EXPECT_EQ(EdgesOf(Quantiles(3, 3), {}, 256), (std::vector<float>{3, 3}));
  const auto edges = EdgesOf(Quantiles(-1, 0.3), {}, 256);
  EXPECT_TRUE(std::ranges::is_sorted(edges));
  EXPECT_EQ(edges.front(), -1);
  EXPECT_EQ(edges.back(), 0.3F);
  EXPECT_EQ(edges[edges.size() - 2], 0.3F);  // a bin of its own
  EXPECT_EQ(edges.size(), 202U);
}

// What a threshold removes are whole bins, also where it removes those that are equal.
TEST(Edges, AreAtThresholds) {
  const std::vector<Threshold> thresholds = {{.parameter = "low", .removes = Removes::kBelow, .value = 0.1F},
                                             {.parameter = "high", .removes = Removes::kAbove, .value = 0.7F},
                                             {.parameter = "most", .removes = Removes::kFrom, .value = int64_t{9}}};
  const auto edges = EdgesOf(Quantiles(0, 1), thresholds, 256);
  EXPECT_TRUE(Has(edges, 0.1F));
  EXPECT_TRUE(Has(edges, 0.7F));
  EXPECT_TRUE(Has(edges, std::nextafterf(0.7F, 1)));
  EXPECT_FALSE(Has(edges, 9));
  std::vector<Threshold> many;
  for (int i = 1; i < 1000; ++i) many.push_back({.parameter = "x", .removes = Removes::kAbove, .value = i / 1000.0});
  EXPECT_EQ(EdgesOf(Quantiles(0, 1), many, 256).size(), 257U);
}

}  // namespace
}  // namespace uzushio
