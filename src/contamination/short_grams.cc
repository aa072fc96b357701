#include "contamination/short_grams.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace uzushio {

void ShortGrams::Make(const char* codes, std::vector<uint32_t> places, size_t most) {
  const auto gram_of = [codes](uint32_t place) { return GramAt(codes + place); };
  const auto less = [&](uint32_t a, uint32_t b) {
    return std::pair(gram_of(a) * kFactor, a) < std::pair(gram_of(b) * kFactor, b);
  };
  std::ranges::sort(places, less);
  size_t kept = 0;
  for (size_t i = 0; i < places.size();) {
    size_t next = i;
    while (next < places.size() && gram_of(places[next]) == gram_of(places[i])) ++next;
    const size_t count = next - i;
    for (; i < next; ++i) {
      if (count <= most) places[kept++] = places[i];
    }
  }
  places.resize(kept);
  places.shrink_to_fit();
  places_ = std::move(places);
  if (places_.empty()) return;
  const auto bits = static_cast<int>(std::bit_width(places_.size()));
  directory_shift_ = 64 - bits;
  directory_.assign((size_t{1} << bits) + 1, static_cast<uint32_t>(places_.size()));
  filter_shift_ = 64 - std::max(1, bits - 2);  // 16 bits an n-gram, or more
  filter_.assign(size_t{1} << std::max(1, bits - 2), 0);
  for (size_t i = places_.size(); i-- > 0;) {
    const uint64_t spread = gram_of(places_[i]) * kFactor;
    directory_[spread >> directory_shift_] = static_cast<uint32_t>(i);
    filter_[spread >> filter_shift_] |= FilterBits(spread);
  }
  for (size_t at = directory_.size() - 1; at-- > 0;) directory_[at] = std::min(directory_[at], directory_[at + 1]);
}

std::span<const uint32_t> ShortGrams::PlacesOf(uint64_t gram, uint64_t spread, const char* codes,
                                               uint64_t* work) const {
  size_t begin = directory_[spread >> directory_shift_];
  const size_t last = directory_[(spread >> directory_shift_) + 1];
  while (begin < last && GramAt(codes + places_[begin]) != gram) ++begin;
  size_t end = begin;
  while (end < last && GramAt(codes + places_[end]) == gram) ++end;
  *work += last - directory_[spread >> directory_shift_];
  return std::span(places_).subspan(begin, end - begin);
}

}  // namespace uzushio
