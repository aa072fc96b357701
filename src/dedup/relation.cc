#include "dedup/relation.h"

#include <set>

#include "base/edit_distance.h"

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
  if (mean <= kMaxShortMean) return 10 * EditDistance(a, b) < 3 * mean;
  const auto grams_a = Grams(a);
  const auto grams_b = Grams(b);
  return JaccardIsNear(grams_a.size(), grams_b.size(), Common(grams_a, grams_b));
}

}  // namespace uzushio
