#include "dedup/jaccard.h"

#include <algorithm>
#include <span>

#include "base/sort.h"

namespace uzushio {

void JaccardComparer::Side::SortOnce() {
  SortByKey(std::span(hashes), [](uint64_t hash) { return hash; });
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  grams = hashes.size();
}

void JaccardComparer::Side::Free() {
  hashes = std::vector<uint64_t>();  // {} would keep its memory
  if (state == State::kCollected) state = State::kNew;
}

void JaccardComparer::Collect(Side* side) {
  if (side->state != Side::State::kNew) return;
  side->state = Side::State::kCollected;
  std::vector<uint64_t>& hashes = side->hashes;
  hashes.clear();
  if (grams_.MostGrams(side->document.size()) > kGramsInMemory) hashes.reserve(kGramsInMemory);
  grams_.ForEach(side->document, [&](std::span<const uint64_t> some) {
    if (hashes.size() + some.size() > kGramsInMemory) {
      side->SortOnce();
      if (hashes.size() > kGramsInMemory / 2) side->state = Side::State::kLong;
    }
    if (side->state == Side::State::kLong) return false;
    hashes.insert(hashes.end(), some.begin(), some.end());
    return true;
  });
  if (side->state == Side::State::kLong) {
    hashed_bytes_ += grams_.tokens();
    side->Free();
  } else {
    hashed_bytes_ += side->document.size();
    side->SortOnce();
  }
}

// As if all n-grams of the one that has fewer were in the other.
double JaccardComparer::MostOf(const Side& a, const Side& b) {
  const bool is_known_to_be_fewer = a.grams < b.grams && a.state == Side::State::kCollected;
  return is_known_to_be_fewer ? static_cast<double>(a.grams) / static_cast<double>(b.grams) : 1;
}

arrow::Result<double> JaccardComparer::Compare(double least) {
  Collect(&second_);
  Collect(&first_);
  const double most = std::min(MostOf(first_, second_), MostOf(second_, first_));
  if (most < least) return most;
  if (first_.state == Side::State::kLong || second_.state == Side::State::kLong) return CompareLong();
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
