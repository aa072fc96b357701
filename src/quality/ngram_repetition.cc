#include "quality/ngram_repetition.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace uzushio {
namespace {

constexpr size_t kLongest = 10;
constexpr size_t kCodePoints = 0x110000;
constexpr uint32_t kFirst = uint32_t{1} << 31;  // the mark of the first of equal n-grams
// Buffers above are given back.
constexpr size_t kKept = size_t{1} << 20;

// Of the n-gram that ends there; 0 where it would begin before the text.
uint32_t FirstLetter(std::span<const char32_t> text, uint32_t end, size_t n) {
  const size_t after = size_t{end & ~kFirst} + 1;
  return after < n ? 0 : text[after - n];
}

}  // namespace

// From 1 on. Letters that occur once are 0: so do all n-grams with them.
void NgramCounter::NumberLetters(std::span<char32_t> text) {
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
  for (char32_t& c : text) c = numbers_[c];
  for (const char32_t c : alphabet_) numbers_[c] = 0;
  alphabet_.clear();
}

// From (n - 1)-grams to the n-grams that begin a letter before. They are sorted by that letter and stay in order
// otherwise, so that those of equal letters and equal (n - 1)-grams are together.
void NgramCounter::Extend(std::span<const char32_t> text, size_t n) {
  uint32_t start = 0;
  for (Bucket& bucket : buckets_) start += std::exchange(bucket.size, start);
  uint32_t group = 0;
  for (size_t i = 0; i < size_; ++i) {
    const uint32_t end = ends_[i];
    group += end / kFirst;
    Bucket& bucket = buckets_[FirstLetter(text, end, n)];
    longer_[bucket.size++] = (end & ~kFirst) | (bucket.group == group ? 0 : kFirst);
    bucket.group = group;
  }
  ends_.swap(longer_);
}

// Drops n-grams that occur once, as all longer ones will, and fills the buckets of the next n. Has no branches: half of
// them would be mispredicted.
NgramCounter::Counts NgramCounter::KeepRepeated(std::span<const char32_t> text, size_t n) {
  const size_t once = buckets_[0].size;
  std::ranges::fill(buckets_, Bucket());
  Counts counts;
  size_t kept = 0;
  uint32_t same = 0;  // up to this one
  uint32_t most = 0;
  ends_[size_] = kFirst;
  for (size_t i = once; i < size_; ++i) {
    const uint32_t end = ends_[i];
    const uint32_t first = end / kFirst;
    const uint32_t last = ends_[i + 1] / kFirst;
    const uint32_t repeated = 1 - (first & last);
    same = same * (1 - first) + 1;
    most = std::max(most, same);
    counts.duplicates += first & ~last;
    ends_[kept] = end;
    kept += repeated;
    buckets_[FirstLetter(text, end, n + 1)].size += repeated;
  }
  counts.most = most;
  counts.repeated = size_ = kept;
  return counts;
}

NgramRepetition NgramCounter::Count(std::span<char32_t> text) {
  NumberLetters(text);
  size_ = text.size();
  ends_.resize(size_ + 1);
  longer_.resize(size_ + 1);
  std::iota(ends_.begin(), ends_.end(), uint32_t{0});
  ends_[0] |= kFirst;
  NgramRepetition result;
  for (size_t n = 1; n <= std::min(kLongest, text.size()); ++n) {
    Extend(text, n);
    const Counts counts = KeepRepeated(text, n);
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
