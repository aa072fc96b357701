#include "stages/report/threshold_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace uzushio {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Numbers that lie at, or just beside, each other as 32 bits and as 64.
std::vector<double> CloseNumbers() {
  std::vector<double> numbers = {0, -0.0, 1e300, -1e300, 1e-300, 3.5e38, -3.5e38, 16777217, 0.5, 1};
  for (const float single : {0.1F, 0.2F, 1.0F, 7e9F, std::numeric_limits<float>::max(), 1e-42F}) {
    const double number = single;
    for (const double near : {number, std::nextafter(number, kInfinity), std::nextafter(number, -kInfinity),
                              static_cast<double>(std::nextafter(single, 0.0F)), number + number / 3e7}) {
      numbers.insert(numbers.end(), {near, -near});
    }
  }
  for (const double number : {0.1, 0.2, 0.3, 2.0 / 3}) numbers.push_back(number);
  return numbers;
}

// Those of the metrics, filled up by NaN to whole words.
template <typename Number>
std::vector<Number> Filled(const std::vector<double>& numbers) {
  std::vector<Number> metrics(numbers.begin(), numbers.end());
  metrics.resize((numbers.size() / 64 + 1) * 64, std::numeric_limits<Number>::quiet_NaN());
  return metrics;
}

bool IsSet(const std::vector<uint64_t>& bits, size_t i) { return (bits[i / 64] >> i % 64 & 1) != 0; }

TEST(ThresholdBits, AsThresholdsSay) {
  const std::vector<double> numbers = CloseNumbers();
  const auto singles = Filled<float>(numbers);
  const auto doubles = Filled<double>(numbers);
  const size_t words = singles.size() / 64;
  for (const bool is_single : {false, true}) {
    for (const std::variant<int64_t, float, double>& type :
         {std::variant<int64_t, float, double>(int64_t{0}), {0.0F}, {0.0}}) {
      for (const Removes removes : {Removes::kBelow, Removes::kFrom, Removes::kAbove}) {
        const Threshold threshold = {
            .parameter = "low", .removes = removes, .value = type, .is_single = is_single, .margin = 1e-9};
        for (const double bound : numbers) {
          std::vector<uint64_t> of_doubles(words);
          AddBits(threshold, bound, doubles.data(), 0, words, of_doubles.data());
          std::vector<uint64_t> of_singles(words);
          if (is_single) AddBits(threshold, bound, singles.data(), 0, words, of_singles.data());
          for (size_t i = 0; i < doubles.size(); ++i) {
            const bool removes_it = threshold.RemovesAt(doubles[i], bound);
            ASSERT_EQ(IsSet(of_doubles, i), removes_it) << doubles[i] << " " << SignOf(removes) << " " << bound;
            if (is_single) {
              ASSERT_EQ(IsSet(of_singles, i), removes_it) << doubles[i] << " " << SignOf(removes) << " " << bound;
            }
          }
        }
      }
    }
  }
}

TEST(ThresholdBits, AtRandom) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> uniform;
  std::vector<double> metrics = Filled<double>({0, -1, 1, 2, 5, 1e9, 0.1, 2.5});
  std::vector<double> numbers(metrics.size());
  for (double& number : numbers) number = uniform(random);
  const Sampling sampling = {.parameter = "expected", .value = 1};
  for (const double expected : {0.0, 0.4, 1.0, 1e12}) {
    numbers[4] = expected / 5;  // stays
    std::vector<uint64_t> bits(metrics.size() / 64);
    AddBits(expected, metrics.data(), numbers.data(), 0, bits.size(), bits.data());
    for (size_t i = 0; i < metrics.size(); ++i) {
      EXPECT_EQ(IsSet(bits, i), sampling.RemovesAt(metrics[i], numbers[i], expected)) << metrics[i];
    }
  }
}

TEST(ThresholdBits, OnlyWordsThatAreAskedFor) {
  const std::vector<float> metrics(192, 0.0F);
  std::vector<uint64_t> bits(3);
  const Threshold threshold = {.parameter = "low", .removes = Removes::kBelow, .value = 1.0F, .is_single = true};
  AddBits(threshold, 1, metrics.data(), 1, 2, bits.data());
  EXPECT_EQ(bits, (std::vector<uint64_t>{0, ~uint64_t{0}, 0}));
}

}  // namespace
}  // namespace uzushio
