#include "dedup/relation.h"

#include <numeric>
#include <set>
#include <vector>

namespace uzushio {
namespace {

std::set<std::u32string_view> Grams(std::u32string_view text) {
  std::set<std::u32string_view> grams;
  for (size_t n = kMinGram; n <= kMaxGram; ++n) {
    for (size_t i = 0; i + n <= text.size(); ++i) grams.insert(text.substr(i, n));
  }
  return grams;
}

size_t Common(const std::set<std::u32string_view>& a, const std::set<std::u32string_view>& b) {
  size_t common = 0;
  for (const std::u32string_view gram : a) common += b.count(gram);
  return common;
}

}  // namespace

size_t LevenshteinByDefinition(std::u32string_view a, std::u32string_view b) {
  // row[j]: the distance of the part of `a` so far to the first j code points of `b`.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

double JaccardByDefinition(std::u32string_view a, std::u32string_view b) {
  const auto grams_a = Grams(a);
  const auto grams_b = Grams(b);
  const size_t common = Common(grams_a, grams_b);
  const size_t all = grams_a.size() + grams_b.size() - common;
  return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

bool NearDuplicatesByDefinition(std::u32string_view a, std::u32string_view b) {
  if (!LengthsAreNear(a.size(), b.size())) return false;
  const size_t mean = MeanLength(a.size(), b.size());
  if (mean <= kMaxShortMean) return 10 * LevenshteinByDefinition(a, b) < 3 * mean;
  const auto grams_a = Grams(a);
  const auto grams_b = Grams(b);
  return JaccardIsNear(grams_a.size(), grams_b.size(), Common(grams_a, grams_b));
}

}  // namespace uzushio
