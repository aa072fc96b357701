#include "quality/ngram_repetition.h"

#include <algorithm>
#include <bit>
#include <random>

namespace uzushio {
namespace {

constexpr size_t kLongest = 10;
// A longer text is gone through several times, each time for a part of its n-grams, so that the table stays small.
constexpr size_t kPart = size_t{1} << 18;
constexpr size_t kMostParts = 16;
// Buffers above are given back.
constexpr size_t kKept = size_t{1} << 20;

constexpr uint64_t Key(uint32_t name, char32_t letter) { return uint64_t{name} << 32 | letter; }

}  // namespace

// The order in the table is no part of the result, so that no page can be made that slows it down.
NgramCounter::NgramCounter() : seed_((uint64_t{std::random_device()()} << 32 | std::random_device()()) | 1) {}

uint64_t NgramCounter::Hash(uint64_t key) const {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(key ^ 0x9E3779B97F4A7C15) * seed_;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint32_t NgramCounter::FindGroup(uint64_t key) {
  const size_t mask = slots_.size() - 1;
  for (size_t at = Hash(key) & mask;; at = (at + 1) & mask) {
    const uint32_t slot = slots_[at];
    if (slot != 0) {
      if (groups_[slot - 1].key == key) return slot - 1;
      continue;
    }
    groups_.push_back({.key = key});
    const auto group = static_cast<uint32_t>(groups_.size());
    slots_[at] = group;
    if (2 * groups_.size() > slots_.size()) Grow();
    return group - 1;
  }
}

void NgramCounter::Grow() {
  slots_.assign(2 * slots_.size(), 0);
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < groups_.size(); ++i) {
    size_t at = Hash(groups_[i].key) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<uint32_t>(i + 1);
  }
}

// All places, by their first letter; of a part, those whose first two letters are of it.
void NgramCounter::Begin(std::u32string_view text, uint64_t part, uint64_t parts) {
  const auto is_here = [&](size_t i) { return parts == 1 || (Hash(Key(text[i], text[i + 1])) >> 40) % parts == part; };
  places_.clear();
  if (parts > 1) {  // growing would take three times as much
    size_t count = 0;
    for (size_t i = 0; i + 1 < text.size(); ++i) count += is_here(i) ? 1 : 0;
    places_ = {};
    places_.reserve(count);
  }
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (!is_here(i)) continue;
    places_.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(text[i])});
  }
}

// From the (n - 1)-grams that occur more than once to the n-grams that do: no others can.
NgramCounter::Counts NgramCounter::Extend(std::u32string_view text, size_t n) {
  groups_.clear();
  slots_.assign(std::bit_ceil(std::clamp<size_t>(places_.size() / 2, 64, kPart)), 0);
  size_t kept = 0;
  for (const Place& place : places_) {
    if (place.at + n > text.size()) break;
    const uint32_t group = FindGroup(Key(place.name, text[place.at + n - 1]));
    ++groups_[group].count;
    places_[kept++] = {place.at, group};
  }
  places_.resize(kept);
  Counts counts;
  for (const Group& group : groups_) {
    counts.most = std::max<uint64_t>(counts.most, group.count);
    counts.duplicates += group.count > 1 ? 1 : 0;
    counts.repeated += group.count > 1 ? group.count : 0;
  }
  std::erase_if(places_, [this](const Place& place) { return groups_[place.name].count < 2; });
  return counts;
}

NgramRepetition NgramCounter::Count(std::u32string_view text) {
  std::array<Counts, kLongest + 1> of_n;
  const size_t parts = std::min(kMostParts, 1 + text.size() / kPart);
  for (uint64_t part = 0; part < parts; ++part) {
    Begin(text, part, parts);
    for (size_t n = 2; n <= kLongest && !places_.empty(); ++n) {
      const Counts counts = Extend(text, n);
      of_n[n].most = std::max(of_n[n].most, counts.most);
      of_n[n].duplicates += counts.duplicates;
      of_n[n].repeated += counts.repeated;
    }
  }
  NgramRepetition result;
  for (size_t n = 2; n <= std::min(kLongest, text.size()); ++n) {
    const size_t all = text.size() - n + 1;
    if (n < NgramRepetition::kLeastDuplicate) {
      const auto most = static_cast<double>(std::max<uint64_t>(1, of_n[n].most));
      result.top[n - NgramRepetition::kLeastTop] = most / static_cast<double>(all);
    } else {
      const auto different = static_cast<double>(all - of_n[n].repeated + of_n[n].duplicates);
      result.duplicate[n - NgramRepetition::kLeastDuplicate] = static_cast<double>(of_n[n].duplicates) / different;
    }
  }
  if (text.size() > kKept) *this = NgramCounter();
  return result;
}

}  // namespace uzushio
