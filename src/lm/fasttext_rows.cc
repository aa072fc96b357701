// A row of a product-quantized matrix is a byte for each few of its columns, which names one of 256 short vectors.
// fastText adds row after row, and reads and writes the whole sum for each. Here some columns at a time are summed over
// many rows, in registers, while the short vectors of these columns are in the first-level cache. Each number of the
// sum gets the same additions in the same order.
#include "lm/fasttext_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace uzushio {
namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kShortVectors = 256;

void AskFor(const void* begin, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(static_cast<const char*>(begin) + at);
}

class DenseRows final : public FastTextRows {
 public:
  DenseRows(const char* values, int32_t columns) : values_(values), columns_(static_cast<size_t>(columns)) {}

  void Add(const std::vector<int32_t>& rows, float* sum) const override {
    constexpr size_t kAhead = 8;
    for (size_t i = 0; i < std::min(kAhead, rows.size()); ++i) AskFor(RowAt(rows[i]), columns_ * sizeof(float));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i + kAhead < rows.size()) AskFor(RowAt(rows[i + kAhead]), columns_ * sizeof(float));
      const char* const row = RowAt(rows[i]);
      for (size_t k = 0; k < columns_; ++k) {
        float value;
        std::memcpy(&value, row + k * sizeof value, sizeof value);
        sum[k] += value;
      }
    }
  }
  int64_t memory() const override { return 0; }

 private:
  const char* RowAt(int32_t row) const { return values_ + static_cast<size_t>(row) * columns_ * sizeof(float); }

  const char* values_;
  size_t columns_;
};

// What is read of a file, from the first byte to the last.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  template <typename Number>
  std::vector<Number> ReadMany(size_t count) {
    std::vector<Number> numbers(count);
    const size_t size = count * sizeof(Number);
    std::memcpy(numbers.data(), bytes_.data(), size);
    bytes_.remove_prefix(size);
    return numbers;
  }
  template <typename Number>
  Number Read() {
    return ReadMany<Number>(1)[0];
  }

 private:
  std::string_view bytes_;
};

class QuantizedRows final : public FastTextRows {
 public:
  explicit QuantizedRows(std::string_view matrix) {
    Bytes bytes(matrix);
    const bool has_norms = bytes.Read<uint8_t>() != 0;
    const auto rows = static_cast<size_t>(bytes.Read<int64_t>());
    bytes.Read<int64_t>();  // columns, which the quantizer says, too
    codes_ = bytes.ReadMany<uint8_t>(static_cast<size_t>(bytes.Read<int32_t>()));
    const auto columns = static_cast<size_t>(bytes.Read<int32_t>());
    parts_ = static_cast<size_t>(bytes.Read<int32_t>());
    width_ = static_cast<size_t>(bytes.Read<int32_t>());
    last_width_ = static_cast<size_t>(bytes.Read<int32_t>());
    centroids_ = bytes.ReadMany<float>(columns * kShortVectors);
    if (!has_norms) return;
    norm_codes_ = bytes.ReadMany<uint8_t>(rows);
    bytes.ReadMany<int32_t>(4);  // the same as above, of one column
    norms_ = bytes.ReadMany<float>(kShortVectors);
  }

  void Add(const std::vector<int32_t>& rows, float* sum) const override {
    Block block;
    for (size_t at = 0; at < rows.size(); at += block.size) {
      Fill(std::span(rows).subspan(at, std::min(kRowsAtOnce, rows.size() - at)), &block);
      norms_.empty() ? AddBlock<false>(block, sum) : AddBlock<true>(block, sum);
    }
  }
  int64_t memory() const override {
    const size_t floats = centroids_.size() + norms_.size();
    return static_cast<int64_t>(codes_.size() + norm_codes_.size() + floats * sizeof(float));
  }

 private:
  static constexpr size_t kRowsAtOnce = 128;
  struct Block {
    size_t size = 0;
    std::array<const uint8_t*, kRowsAtOnce> codes;
    std::array<float, kRowsAtOnce> norms;
  };

  void Fill(std::span<const int32_t> rows, Block* block) const {
    block->size = rows.size();
    for (size_t i = 0; i < rows.size(); ++i) {
      block->codes[i] = codes_.data() + static_cast<size_t>(rows[i]) * parts_;
      AskFor(block->codes[i], parts_);
    }
    if (norms_.empty()) return;
    for (size_t i = 0; i < rows.size(); ++i) block->norms[i] = norms_[norm_codes_[static_cast<size_t>(rows[i])]];
  }

  template <bool kNorms>
  void AddBlock(const Block& block, float* sum) const {
    constexpr size_t kPartsAtOnce = 8;
    const size_t whole = last_width_ == width_ ? parts_ : parts_ - 1;
    size_t part = 0;
    if (width_ == 2) {
      for (; part + kPartsAtOnce <= whole; part += kPartsAtOnce) {
        AddPairs<kNorms, kPartsAtOnce>(block, part, sum + 2 * part);
      }
    }
    for (; part < parts_; ++part) AddPart<kNorms>(block, part, sum + width_ * part);
  }

  // Of so many parts of two columns.
  template <bool kNorms, size_t kParts>
  void AddPairs(const Block& block, size_t part, float* sum) const {
    std::array<float, 2 * kParts> own;
    std::copy_n(sum, own.size(), own.begin());
    const float* const centroids = centroids_.data() + part * kShortVectors * 2;
    for (size_t i = 0; i < block.size; ++i) {
      const uint8_t* const codes = block.codes[i] + part;
      std::array<float, 2 * kParts> row;
      for (size_t k = 0; k < kParts; ++k) {
        std::memcpy(row.data() + 2 * k, centroids + (k * kShortVectors + codes[k]) * 2, 2 * sizeof(float));
      }
      for (size_t k = 0; k < row.size(); ++k) own[k] += kNorms ? block.norms[i] * row[k] : row[k];
    }
    std::copy(own.begin(), own.end(), sum);
  }

  template <bool kNorms>
  void AddPart(const Block& block, size_t part, float* sum) const {
    const size_t width = part + 1 == parts_ ? last_width_ : width_;
    const float* const centroids = centroids_.data() + part * kShortVectors * width_;
    for (size_t i = 0; i < block.size; ++i) {
      const float* const row = centroids + block.codes[i][part] * width;
      for (size_t k = 0; k < width; ++k) sum[k] += kNorms ? block.norms[i] * row[k] : row[k];
    }
  }

  std::vector<uint8_t> codes_;
  size_t parts_ = 0;  // of a row
  size_t width_ = 0;  // columns of a part
  size_t last_width_ = 0;
  std::vector<float> centroids_;  // of each part, one after another
  std::vector<uint8_t> norm_codes_;
  std::vector<float> norms_;  // none: all are 1
};

}  // namespace

std::unique_ptr<const FastTextRows> DenseFastTextRows(std::string_view values, int32_t columns) {
  return std::make_unique<DenseRows>(values.data(), columns);
}

std::unique_ptr<const FastTextRows> QuantizedFastTextRows(std::string_view matrix) {
  return std::make_unique<QuantizedRows>(matrix);
}

}  // namespace uzushio
