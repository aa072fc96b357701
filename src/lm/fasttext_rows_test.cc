#include "lm/fasttext_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace uzushio {
namespace {

constexpr int32_t kShortVectors = 256;

// A matrix of random numbers as a .ftz has it, and its rows as they are told by its format.
class Quantized {
 public:
  Quantized(int32_t rows, int32_t columns, int32_t width, bool norms) : columns_(static_cast<size_t>(columns)) {
    const int32_t parts = (columns + width - 1) / width;
    const int32_t last = columns - (parts - 1) * width;
    Put(static_cast<uint8_t>(norms));
    Put(int64_t{rows});
    Put(int64_t{columns});
    Put(rows * parts);
    const std::vector<uint8_t> codes = Codes(rows * parts);
    for (const int32_t number : {columns, parts, width, last}) Put(number);
    const std::vector<float> centroids = Floats(columns * kShortVectors);
    std::vector<uint8_t> norm_codes;
    std::vector<float> norm_values;
    if (norms) {
      norm_codes = Codes(rows);
      for (const int32_t number : {1, 1, 1, 1}) Put(number);
      norm_values = Floats(kShortVectors);
    }
    for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
      std::vector<float>& own = rows_.emplace_back();
      for (int32_t part = 0; part < parts; ++part) {
        const int32_t size = part + 1 == parts ? last : width;
        const size_t code = codes[row * static_cast<size_t>(parts) + static_cast<size_t>(part)];
        const size_t begin = static_cast<size_t>(part * kShortVectors * width) + code * static_cast<size_t>(size);
        for (int32_t k = 0; k < size; ++k) own.push_back(centroids[begin + static_cast<size_t>(k)]);
      }
      norms_.push_back(norms ? norm_values[norm_codes[row]] : 1);
    }
  }

  const std::string& bytes() const { return bytes_; }
  std::vector<float> Sum(const std::vector<int32_t>& rows) const {
    std::vector<float> sum(columns_);
    for (const int32_t row : rows) {
      const auto at = static_cast<size_t>(row);
      for (size_t k = 0; k < columns_; ++k) sum[k] += norms_[at] * rows_[at][k];
    }
    return sum;
  }

 private:
  template <typename Number>
  void Put(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  std::vector<uint8_t> Codes(int32_t count) {
    std::vector<uint8_t> codes;
    for (int32_t i = 0; i < count; ++i) Put(codes.emplace_back(static_cast<uint8_t>(random_())));
    return codes;
  }
  std::vector<float> Floats(int32_t count) {
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<float> floats;
    for (int32_t i = 0; i < count; ++i) Put(floats.emplace_back(number(random_)));
    return floats;
  }

  std::mt19937 random_{7};
  size_t columns_;
  std::string bytes_;
  std::vector<std::vector<float>> rows_;
  std::vector<float> norms_;
};

TEST(FastTextRows, QuantizedOnesAreSummedInOrder) {
  std::mt19937 random(11);
  for (const bool norms : {false, true}) {
    for (const auto& [columns, width] :
         {std::pair(1, 1), {7, 1}, {2, 2}, {16, 2}, {17, 2}, {100, 2}, {101, 3}, {40, 40}}) {
      const Quantized matrix(50, columns, width, norms);
      const auto rows = QuantizedFastTextRows(matrix.bytes());
      for (const size_t count : {0, 1, 127, 128, 129, 1000}) {
        std::vector<int32_t> chosen;
        for (size_t i = 0; i < count; ++i) chosen.push_back(static_cast<int32_t>(random() % 50));
        std::vector<float> sum(static_cast<size_t>(columns));
        rows->Add(chosen, sum.data());
        EXPECT_EQ(sum, matrix.Sum(chosen)) << columns << " " << width << " " << count;
      }
    }
  }
}

TEST(FastTextRows, DenseOnesLieAtAnyAddress) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  std::string bytes(1 + values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(float));
  std::vector<float> sum = {0.5, 0.25, 0};
  DenseFastTextRows(std::string_view(bytes).substr(1), 3)->Add({1, 0, 1}, sum.data());
  EXPECT_EQ(sum, (std::vector<float>{9.5, 12.25, 15}));
}

}  // namespace
}  // namespace uzushio
