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

// The share of the documents that are from `least` on and below `most`, as the thousandths tell it.
double ShareWithin(const std::vector<double>& quantiles, float least, float most) {
  const auto count = std::ranges::count_if(quantiles, [&](double value) { return value >= least && value < most; });
  return static_cast<double>(count) / static_cast<double>(quantiles.size());
}

// However few bins there are, and however the values are spread: none has much more than its share, unless it is one
// value.
TEST(Edges, CoverAllValuesEvenly) {
  std::vector<double> long_tail = Quantiles(0, 1);
  for (double& value : long_tail) value = std::exp(12 * value);
  std::vector<double> half_zeros = Quantiles(-1, 1);
  for (double& value : half_zeros) value = std::max(value, 0.0);
  std::vector<double> whole = Quantiles(0, 20);
  for (double& value : whole) value = std::floor(value);
  for (const auto& quantiles : {Quantiles(-1, 0.3), long_tail, half_zeros, whole}) {
    for (const size_t most_bins : {8, 40, 106, 150, 256}) {
      const auto edges =
          EdgesOf(quantiles, {{.parameter = "low", .removes = Removes::kAbove, .value = 0.1F}}, most_bins);
      EXPECT_LE(edges.size(), most_bins + 1);
      const double most = 3.0 / static_cast<double>(std::min<size_t>(most_bins, 200));
      for (size_t bin = 0; bin + 2 < edges.size(); ++bin) {
        if (edges[bin + 1] == std::nextafterf(edges[bin], edges[bin + 1])) continue;
        EXPECT_LE(ShareWithin(quantiles, edges[bin], edges[bin + 1]), most) << most_bins << ": " << edges[bin];
      }
    }
  }
}

// So that it is not drawn over what comes after it.
TEST(Edges, PartAFrequentValueFromTheNext) {
  std::vector<double> quantiles = Quantiles(-1, 1);
  for (double& value : quantiles) value = std::max(value, 0.0);
  EXPECT_TRUE(Has(EdgesOf(quantiles, {}, 8), std::nextafterf(0, 1)));
  EXPECT_FALSE(Has(EdgesOf(Quantiles(0, 1), {}, 256), std::nextafterf(0, 1)));
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
