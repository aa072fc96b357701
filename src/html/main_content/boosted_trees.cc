#include "html/main_content/boosted_trees.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Idea. All trees are complete and of the same depth, so that a row needs no test for leaves and trees need no
// pointers. A feature has few thresholds in all trees together, so its value is looked for among them once, and its
// place there, a byte, is what trees compare: 32 rows by one instruction. All 63 comparisons of a tree are made, and
// the leaf's number is put together from the leaves up: more comparisons than following a path (63 instead of 6), none
// of which waits for the one before or for an unpredicted branch. The leaf's value is looked up for 32 rows at once,
// too, byte by byte in tables of 16.
//
// Cost. O(trees) a row: for 64 rows some 500 instructions a tree; and 2 to 4 instructions a feature and row for bins.
//
// Source. Gradient boosting: Friedman 2001. Scoring without branches: Asadi, Lin, de Vries 2014 ("Runtime Optimizations
// for Tree-based Machine Learning Models"). Thresholds by their number, and rows side by side in bytes: Ye, Zhou, Zou,
// Gao, Zhang 2018 ("RapidScorer").
//
// Example. Depth 2, thresholds {5, 1, 9} of feature 0, values {a, b, c, d}: among 1, 5, 9 the row 7 has the bin 2. It
// is not less than the limit 2 of the threshold 5, so it goes right, and is less than the limit 3 of 9, so it goes left
// and gets c.
namespace uzushio {
namespace {

constexpr float kAllLeft = std::numeric_limits<float>::infinity();  // the threshold of nodes that all rows go left at
constexpr size_t kWideGroups = 8;  // that a table has: numbers in a register of 256 bits

template <size_t kBytes>
struct Vectors;
template <>
struct Vectors<16> {
  using Bytes [[gnu::vector_size(16)]] = int8_t;
  using Floats [[gnu::vector_size(16)]] = float;
  using Numbers [[gnu::vector_size(16)]] = int32_t;
};
template <>
struct Vectors<32> {
  using Bytes [[gnu::vector_size(32)]] = int8_t;
  using Floats [[gnu::vector_size(32)]] = float;
  using Numbers [[gnu::vector_size(32)]] = int32_t;
};

// The leaves that rows come to below a node, for kCount vectors of rows: minus a number that has a bit for each level,
// set where a row goes left, the lowest one for the lowest level.
template <size_t kBytes, size_t kCount, size_t kNode, typename Tree>
[[gnu::always_inline]] inline void LeavesBelow(const Tree& tree, const int8_t* bins,
                                               std::array<typename Vectors<kBytes>::Bytes, kCount>* out) {
  using Bytes = typename Vectors<kBytes>::Bytes;      // NOLINT(readability-redundant-typename): for older Clang
  using Numbers = typename Vectors<kBytes>::Numbers;  // NOLINT(readability-redundant-typename)
  constexpr size_t kLevel = std::bit_width(kNode + 1) - 1;
  constexpr int kBit = 1 << (DecisionTree::kDepth - 1 - kLevel);
  std::array<Bytes, kCount> left;
  std::array<Bytes, kCount> right;
  if constexpr (kBit > 1) {
    LeavesBelow<kBytes, kCount, 2 * kNode + 1>(tree, bins, &left);
    LeavesBelow<kBytes, kCount, 2 * kNode + 2>(tree, bins, &right);
  }
  const Numbers limits = Numbers{} + static_cast<int32_t>(tree.limits[kNode]);
  const int8_t* column = bins + tree.columns[kNode];
  for (size_t i = 0; i < kCount; ++i) {
    Bytes bin;
    Bytes limit;
    std::memcpy(&bin, column + i * kBytes, sizeof bin);
    std::memcpy(&limit, &limits, sizeof limit);
    if constexpr (kBit > 1) {
      (*out)[i] = limit > bin ? left[i] - static_cast<int8_t>(kBit) : right[i];
    } else {
      (*out)[i] = limit > bin;  // -1 where it is
    }
  }
}

constexpr size_t kLeafMask = DecisionTree::kNodes;  // leaves, less one

}  // namespace

struct BinnedTrees::Kernels {
  // In the compiler's vectors, which every processor has.
  static void Baseline(std::span<const Tree> trees, const int8_t* bins, float* sums) {
    constexpr size_t kBytes = 16;
    std::array<float, kBytes> total{};
    for (const Tree& tree : trees) {
      std::array<Vectors<kBytes>::Bytes, 1> leaves;
      LeavesBelow<kBytes, 1, 0>(tree, bins, &leaves);
      std::array<uint8_t, kBytes> numbers;
      std::memcpy(numbers.data(), leaves.data(), sizeof numbers);
      for (size_t i = 0; i < kBytes; ++i) total[i] += tree.values[numbers[i] & kLeafMask];
    }
    std::memcpy(sums, total.data(), sizeof total);
  }

#if defined(__x86_64__)
  // Adds the values of 32 rows' leaves to sums, whose order is that in which bytes are put together to numbers.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void AddValues(const Tree& tree, __m256i leaves,
                                                                           __m256* sums) {
    constexpr int kTable = 16;
    const __m256i low = _mm256_and_si256(leaves, _mm256_set1_epi8(kTable - 1));
    const __m256i second = _mm256_slli_epi16(leaves, 3);  // the highest bit of a byte, which selects, is its bit 4
    const __m256i fourth = _mm256_slli_epi16(leaves, 2);  // its bit 5
    __m256i plane[4];                                     // NOLINT(modernize-avoid-c-arrays)
    for (size_t k = 0; k < 4; ++k) {
      __m256i part[4];  // NOLINT(modernize-avoid-c-arrays)
      for (size_t t = 0; t < 4; ++t) {
        const auto* table = reinterpret_cast<const __m128i*>(tree.bytes[k].data() + t * kTable);
        part[t] = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(table)), low);
      }
      plane[k] = _mm256_blendv_epi8(_mm256_blendv_epi8(part[0], part[1], second),
                                    _mm256_blendv_epi8(part[2], part[3], second), fourth);
    }
    const __m256i low_a = _mm256_unpacklo_epi8(plane[0], plane[1]);
    const __m256i low_b = _mm256_unpackhi_epi8(plane[0], plane[1]);
    const __m256i high_a = _mm256_unpacklo_epi8(plane[2], plane[3]);
    const __m256i high_b = _mm256_unpackhi_epi8(plane[2], plane[3]);
    sums[0] = _mm256_add_ps(sums[0], _mm256_castsi256_ps(_mm256_unpacklo_epi16(low_a, high_a)));
    sums[1] = _mm256_add_ps(sums[1], _mm256_castsi256_ps(_mm256_unpackhi_epi16(low_a, high_a)));
    sums[2] = _mm256_add_ps(sums[2], _mm256_castsi256_ps(_mm256_unpacklo_epi16(low_b, high_b)));
    sums[3] = _mm256_add_ps(sums[3], _mm256_castsi256_ps(_mm256_unpackhi_epi16(low_b, high_b)));
  }

  // 32 × kCount rows.
  template <size_t kCount>
  [[gnu::target("avx2")]] static void Wide(std::span<const Tree> trees, const int8_t* bins, float* sums) {
    constexpr size_t kBytes = 32;
    __m256 total[kCount][4] = {};  // NOLINT(modernize-avoid-c-arrays)
    for (const Tree& tree : trees) {
      std::array<Vectors<kBytes>::Bytes, kCount> leaves;
      LeavesBelow<kBytes, kCount, 0>(tree, bins, &leaves);
      for (size_t i = 0; i < kCount; ++i) {
        __m256i numbers;
        std::memcpy(&numbers, &leaves[i], sizeof numbers);
        AddValues(tree, numbers, total[i]);
      }
    }
    for (size_t i = 0; i < kCount; ++i) {
      for (size_t k = 0; k < 4; ++k) {  // of each half of a vector, the k-th four rows
        float* at = sums + i * kBytes + k * 4;
        _mm_storeu_ps(at, _mm256_castps256_ps128(total[i][k]));
        _mm_storeu_ps(at + kBytes / 2, _mm256_extractf128_ps(total[i][k], 1));
      }
    }
  }
#endif
};

FeatureBins::FeatureBins(size_t features, std::span<const std::span<const DecisionTree>> trees) : features_(features) {
  for (const std::span<const DecisionTree> some : trees) {
    for (const DecisionTree& tree : some) {
      for (size_t i = 0; i < DecisionTree::kNodes; ++i) {
        if (tree.thresholds[i] < kAllLeft) features_[tree.features[i]].thresholds.push_back(tree.thresholds[i]);
      }
    }
  }
  for (Feature& feature : features_) {
    std::ranges::sort(feature.thresholds);
    size_t kept = 0;  // each once
    for (const float threshold : feature.thresholds) {
      if (kept == 0 || feature.thresholds[kept - 1] < threshold) feature.thresholds[kept++] = threshold;
    }
    feature.thresholds.resize(kept);
    fits_ = fits_ && feature.thresholds.size() <= kMostThresholds;
    Divide(&feature);
  }
}

// So that the fewest instructions are needed: two for a pivot, three for a row of a table.
void FeatureBins::Divide(Feature* feature) {
  const std::vector<float>& thresholds = feature->thresholds;
  const size_t n = thresholds.size();
  size_t least = SIZE_MAX;
  for (size_t group = 1; group <= n + 1; ++group) {
    const size_t pivots = n / group;
    const size_t cost = 2 * pivots + 3 * (group - 1);
    if (pivots >= kWideGroups || cost >= least) continue;
    least = cost;
    feature->pivots = pivots;
    feature->group = group;
  }
  feature->tables.assign((feature->group - 1) * kWideGroups, kAllLeft);
  for (size_t i = 0; i < n; ++i) {
    const size_t place = i % feature->group;
    if (place + 1 < feature->group) feature->tables[place * kWideGroups + i / feature->group] = thresholds[i];
  }
}

size_t FeatureBins::NumberOf(size_t feature, float threshold) const {
  const std::vector<float>& thresholds = features_[feature].thresholds;
  return static_cast<size_t>(std::ranges::lower_bound(thresholds, threshold) - thresholds.begin());
}

void FeatureBins::BinByCounting(const Feature& feature, size_t rows, const float* column, int8_t* bins) {
  using Floats = Vectors<16>::Floats;
  using Numbers = Vectors<16>::Numbers;
  constexpr size_t kLanes = 4;
  for (size_t row = 0; row < rows; row += kLanes) {
    Floats values;
    std::memcpy(&values, column + row, sizeof values);
    Numbers count{};
    for (const float threshold : feature.thresholds) count -= values > threshold;
    for (size_t i = 0; i < kLanes; ++i) bins[row + i] = static_cast<int8_t>(count[i]);
  }
}

#if defined(__x86_64__)
// Of a feature with so many pivots: where the compiler knows how many, it needs no copies of registers.
template <size_t kPivots>
[[gnu::target("avx2")]] void FeatureBins::BinByPivots(const Feature& feature, size_t rows, const float* column,
                                                      int8_t* bins) {
  constexpr size_t kVectors = 4;  // of 8 rows
  constexpr size_t kRows = kVectors * kWideGroups;
  const __m256i group = _mm256_set1_epi32(static_cast<int>(feature.group));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  for (size_t row = 0; row < rows; row += kRows) {
    __m256 values[kVectors];   // NOLINT(modernize-avoid-c-arrays)
    __m256i groups[kVectors];  // NOLINT(modernize-avoid-c-arrays)
    __m256i counts[kVectors];  // NOLINT(modernize-avoid-c-arrays)
    for (size_t v = 0; v < kVectors; ++v) {
      values[v] = _mm256_loadu_ps(column + row + v * kWideGroups);
      groups[v] = _mm256_setzero_si256();
    }
    for (size_t k = 0; k < kPivots; ++k) {
      const __m256 pivot = _mm256_set1_ps(feature.thresholds[(k + 1) * feature.group - 1]);
      for (size_t v = 0; v < kVectors; ++v) {
        const __m256 greater = _mm256_cmp_ps(values[v], pivot, _CMP_GT_OQ);
        groups[v] = _mm256_sub_epi32(groups[v], _mm256_castps_si256(greater));
      }
    }
    for (size_t v = 0; v < kVectors; ++v) counts[v] = _mm256_mullo_epi32(groups[v], group);
    for (size_t k = 0; k + 1 < feature.group; ++k) {
      const __m256 table = _mm256_loadu_ps(feature.tables.data() + k * kWideGroups);
      for (size_t v = 0; v < kVectors; ++v) {
        const __m256 threshold = _mm256_permutevar8x32_ps(table, groups[v]);
        const __m256 greater = _mm256_cmp_ps(values[v], threshold, _CMP_GT_OQ);
        counts[v] = _mm256_sub_epi32(counts[v], _mm256_castps_si256(greater));
      }
    }
    const __m256i packed =
        _mm256_packs_epi16(_mm256_packs_epi32(counts[0], counts[1]), _mm256_packs_epi32(counts[2], counts[3]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bins + row), _mm256_permutevar8x32_epi32(packed, order));
  }
}

void FeatureBins::BinByTables(const Feature& feature, size_t rows, const float* column, int8_t* bins) {
  static constexpr auto kByPivots = []<size_t... kPivots>(std::index_sequence<kPivots...>) {
    return std::array{&BinByPivots<kPivots>...};
  }(std::make_index_sequence<kWideGroups>());
  kByPivots[feature.pivots](feature, rows, column, bins);
}
#else
void FeatureBins::BinByTables(const Feature& feature, size_t rows, const float* column, int8_t* bins) {
  BinByCounting(feature, rows, column, bins);
}
#endif

void FeatureBins::Bin(size_t first, size_t count, size_t rows, const float* columns, size_t stride, int8_t* bins,
                      bool wide) const {
  for (size_t f = first; f < first + count; ++f) {
    (wide ? BinByTables : BinByCounting)(features_[f], rows, columns + f * stride, bins + f * kTreeRows);
  }
}

BinnedTrees::BinnedTrees(std::span<const DecisionTree> trees, const FeatureBins& bins) : trees_(trees.size()) {
  constexpr size_t kAlwaysLeft = FeatureBins::kMostThresholds + 1;
  for (size_t t = 0; t < trees.size(); ++t) {
    const DecisionTree& from = trees[t];
    Tree& to = trees_[t];
    for (size_t i = 0; i < DecisionTree::kNodes; ++i) {
      const float threshold = from.thresholds[i];
      const size_t limit = threshold < kAllLeft ? bins.NumberOf(from.features[i], threshold) + 1 : kAlwaysLeft;
      to.limits[i] = static_cast<uint32_t>(limit) * 0x01010101U;
      to.columns[i] = static_cast<uint16_t>(from.features[i] * kTreeRows);
    }
    for (size_t leaf = 0; leaf <= DecisionTree::kNodes; ++leaf) {
      const size_t number = (0 - (DecisionTree::kNodes - leaf)) & kLeafMask;  // bits are set where rows go left
      to.values[number] = from.values[leaf];
      std::array<uint8_t, sizeof(float)> bytes;
      std::memcpy(bytes.data(), &from.values[leaf], sizeof bytes);
      for (size_t k = 0; k < bytes.size(); ++k) to.bytes[k][number] = bytes[k];
    }
  }
}

void BinnedTrees::Sum(const int8_t* bins, std::span<float> sums, bool wide) const {
  alignas(32) std::array<float, kTreeRows> all{};
  constexpr size_t kWideRows = 32;
  constexpr size_t kRows = 16;
  if (!wide) {
    for (size_t row = 0; row < sums.size(); row += kRows) Kernels::Baseline(trees_, bins + row, all.data() + row);
#if defined(__x86_64__)
  } else if (sums.size() > kWideRows) {
    Kernels::Wide<2>(trees_, bins, all.data());
  } else {
    Kernels::Wide<1>(trees_, bins, all.data());
#endif
  }
  std::ranges::copy_n(all.begin(), static_cast<ptrdiff_t>(sums.size()), sums.begin());
}

}  // namespace uzushio
