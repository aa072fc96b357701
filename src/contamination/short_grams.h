// Finds short n-grams of items at every place of a document.
//
// The sampled n-grams of an index (contamination/sampled_grams.h) find runs of kRun codes. Questions of benchmarks may
// be shorter, as 駅に止まるのは？ of JCommonsenseQA, or have no such run left where a word is replaced. So, of short
// items, n-grams of kShortGram codes are kept that cover each part, and are looked for at every place: there are few of
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace uzushio {

inline constexpr size_t kShortGram = 6;  // codes

class ShortGrams {
 public:
  // Takes the n-grams that begin at these places of the items' codes. Those of more than `most` places are left out.
  // 8 bytes can be read from each place.
  void Make(const char* codes, std::vector<uint32_t> places, size_t most);

  // Calls `use(place, others)` for places of a document, from `begin` on and before `end`, and those of the items that
  // have the same n-gram. 8 bytes can be read from each place. Adds to `work` what was looked at.
  template <typename Use>
  void ForEach(std::string_view document, size_t begin, size_t end, const char* codes, uint64_t* work, Use use) const {
    if (places_.empty() || document.size() < kShortGram) return;
    end = std::min(end, document.size() - kShortGram + 1);
    for (size_t at = begin; at < end; ++at) {
      const uint64_t gram = GramAt(document.data() + at);
      const uint64_t spread = gram * kFactor;
      if (!IsInFilter(spread)) continue;
      const std::span<const uint32_t> places = PlacesOf(gram, spread, codes, work);
      if (!places.empty()) use(at, places);
    }
    *work += end > begin ? end - begin : 0;
  }

  // Those that were taken.
  std::span<const uint32_t> places() const { return places_; }
  size_t bytes() const {
    return (directory_.capacity() + places_.capacity()) * sizeof(uint32_t) + filter_.capacity() * sizeof(uint64_t);
  }

 private:
  static constexpr uint64_t kFactor = 0x9E3779B97F4A7C15U;

  static uint64_t GramAt(const char* codes) {
    uint64_t gram = 0;
    std::memcpy(&gram, codes, sizeof gram);
    return gram << (64 - 8 * kShortGram);
  }
  // Of its word; the bits of a product that all codes decide are the high ones.
  static uint64_t FilterBits(uint64_t spread) {
    return uint64_t{1} << (spread >> 42 & 63) | uint64_t{1} << (spread >> 36 & 63);
  }
  bool IsInFilter(uint64_t spread) const {
    const uint64_t bits = FilterBits(spread);
    return (filter_[spread >> filter_shift_] & bits) == bits;
  }
  std::span<const uint32_t> PlacesOf(uint64_t gram, uint64_t spread, const char* codes, uint64_t* work) const;

  std::vector<uint32_t> directory_;  // where places begin, by the first bits of hashes
  std::vector<uint32_t> places_;     // in the items' codes
  std::vector<uint64_t> filter_;     // a Bloom filter, each n-gram in one word
  int directory_shift_ = 63;
  int filter_shift_ = 63;
};

}  // namespace uzushio
