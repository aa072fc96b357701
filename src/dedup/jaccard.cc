#include "dedup/jaccard.h"

#include <algorithm>
#include <span>

#include "base/sort.h"

namespace uzushio {

// Tokens are counted only where there may be too many.
bool JaccardComparer::IsLong(std::string_view document) const {
  return grams_.MostGrams(document.size()) > kGramsInMemory && partitions_.TokensOf(document) > kGramsInMemory;
}

void JaccardComparer::Collect(Side* side) {
  if (side->is_collected) return;
  side->is_collected = true;
  hashed_bytes_ += side->document.size();
  std::vector<uint64_t>& hashes = side->hashes;
  hashes.clear();
  grams_.ForEach(side->document,
                 [&](std::span<const uint64_t> some) { hashes.insert(hashes.end(), some.begin(), some.end()); });
  SortByKey(std::span(hashes), [](uint64_t hash) { return hash; });
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

arrow::Result<double> JaccardComparer::Compare() {
  if (IsLong(first_.document) || IsLong(second_.document)) return CompareLong();
  Collect(&first_);
  Collect(&second_);
  const std::vector<uint64_t>& a = first_.hashes;
  const std::vector<uint64_t>& b = second_.hashes;
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint64_t x = a[i];
    const uint64_t y = b[j];
    common += x == y ? 1 : 0;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  return static_cast<double>(common) / static_cast<double>(a.size() + b.size() - common);
}

arrow::Result<double> JaccardComparer::CompareLong() {
  first_.Free();
  second_.Free();
  const bool is_first_longer = partitions_.TokensOf(first_.document) >= partitions_.TokensOf(second_.document);
  ARROW_RETURN_NOT_OK(partitions_.Set(is_first_longer ? first_.document : second_.document));
  ARROW_RETURN_NOT_OK(partitions_.Add(is_first_longer ? second_.document : first_.document));
  ARROW_ASSIGN_OR_RAISE(const auto compared, partitions_.Finish());
  const ContainmentComparer::Compared& shorter = compared.front();
  return static_cast<double>(shorter.common) / static_cast<double>(partitions_.grams() + shorter.missing);
}

}  // namespace uzushio
