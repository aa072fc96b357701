#include "quality/ngram_repetition.h"

#include <algorithm>
#include <utility>

namespace uzushio {
namespace {

constexpr size_t kLongest = 10;
constexpr size_t kCodePoints = 0x110000;
constexpr uint32_t kFirst = uint32_t{1} << 31;  // the mark of the first of equal n-grams
// Buffers above are given back.
constexpr size_t kKept = size_t{1} << 20;

}  // namespace

// From 1 on. Letters that occur once are 0, and so is what is before the text: no n-gram with them occurs again.
void NgramCounter::NumberLetters(std::u32string_view text) {
  numbers_.resize(kCodePoints);
  for (const char32_t c : text) {
    if (numbers_[c]++ == 0) alphabet_.push_back(c);
  }
  buckets_.assign(alphabet_.size() + 1, {});
  uint32_t letters = 0;
  for (const char32_t c : alphabet_) {
    const uint32_t count = numbers_[c];
    numbers_[c] = count > 1 ? ++letters : 0;
    buckets_[numbers_[c]].size += count;
  }
  buckets_.resize(letters + 1);
  letters_.assign(kLongest, 0);
  letters_.resize(kLongest + text.size());
  for (size_t i = 0; i < text.size(); ++i) letters_[kLongest + i] = numbers_[text[i]];
  for (const char32_t c : alphabet_) numbers_[c] = 0;
  alphabet_.clear();
}

// From (n - 1)-grams to the n-grams that begin a letter before. They are sorted by that letter and stay in order
// otherwise, so that those of equal letters and equal (n - 1)-grams are together.
void NgramCounter::Extend(size_t n) {
  const uint32_t* const letters = &letters_[kLongest + 1 - n];
  uint32_t start = 0;
  for (Bucket& bucket : buckets_) start += std::exchange(bucket.size, start);
  uint32_t group = 0;
  for (size_t i = 0; i < size_; ++i) {
    const uint32_t end = ends_[i] & ~kFirst;
    group += ends_[i] / kFirst;
    Bucket& bucket = buckets_[letters[end]];
    longer_[bucket.size++] = end | (bucket.group == group ? 0 : kFirst);
    bucket.group = group;
  }
  ends_.swap(longer_);
}

// Drops n-grams that occur once, as all longer ones will, and fills the buckets of the next n. Has no branches: half of
// them would be mispredicted.
template <bool kTop>
NgramCounter::Counts NgramCounter::KeepRepeated(size_t n) {
  const uint32_t* const letters = &letters_[kLongest - n];
  const size_t once = buckets_[0].size;
  std::ranges::fill(buckets_, Bucket());
  size_t different = 0;
  size_t kept = 0;
  uint32_t same = 0;  // up to this one
  uint32_t most = 0;
  ends_[size_] = kFirst;
  uint32_t next = ends_[once];
  for (size_t i = once; i < size_; ++i) {
    const uint32_t end = next;
    next = ends_[i + 1];
    const uint32_t first = end / kFirst;
    const uint32_t repeated = ~(end & next) / kFirst;
    if constexpr (kTop) {
      same = same * (1 - first) + 1;
      most = std::max(most, same);
    }
    different += first;
    ends_[kept] = end;
    kept += repeated;
    buckets_[letters[end & ~kFirst]].size += repeated;
  }
  const size_t dropped = size_ - once - kept;
  size_ = kept;
  return {.most = most, .duplicates = different - dropped, .repeated = kept};
}

NgramRepetition NgramCounter::Count(std::u32string_view text) {
  NumberLetters(text);
  size_ = text.size();
  ends_.resize(size_ + 1);
  longer_.resize(size_ + 1);
  for (size_t i = 0; i < size_; ++i) ends_[i] = static_cast<uint32_t>(i);
  ends_[0] |= kFirst;
  NgramRepetition result;
  for (size_t n = 1; n <= std::min(kLongest, text.size()); ++n) {
    Extend(n);
    const Counts counts = n < NgramRepetition::kLeastDuplicate ? KeepRepeated<true>(n) : KeepRepeated<false>(n);
    const size_t all = text.size() - n + 1;
    if (n >= NgramRepetition::kLeastDuplicate) {
      const auto different = static_cast<double>(all - counts.repeated + counts.duplicates);
      result.duplicate[n - NgramRepetition::kLeastDuplicate] = static_cast<double>(counts.duplicates) / different;
    } else if (n >= NgramRepetition::kLeastTop) {
      const auto most = static_cast<double>(std::max<size_t>(1, counts.most));
      result.top[n - NgramRepetition::kLeastTop] = most / static_cast<double>(all);
    }
  }
  if (text.size() > kKept) *this = NgramCounter();
  return result;
}

}  // namespace uzushio
