#include "dedup/candidates.h"

#include <bit>

#include "dedup/grams.h"

namespace uzushio {
namespace {

constexpr size_t kLongBands = 16;
constexpr size_t kLongRows = 4;
constexpr size_t kLongFunctions = 64;  // all for the bands; the sketch has two bits of each
constexpr size_t kShortBands = 20;
constexpr size_t kShortRows = 4;
constexpr size_t kShortFunctions = 96;  // 80 for the bands; the sketch has a bit of the first 64

constexpr size_t kLong = 0;
constexpr size_t kShort = 1;
constexpr size_t kVeryShort = 2;

// Buckets of different kinds and bands have nothing in common.
constexpr uint64_t BandSeed(size_t kind, size_t band) { return Mix64(kind * 1000 + band + 1); }

// Of 64 pairs of bits of the sketches of long paragraphs, so many must be equal. With Jaccard J one is with
// probability J + (1 - J) / 4, that is 49.6 of 64 at 0.7, with a standard deviation of 3.3.
constexpr int kMinEqualFields = 39;

int EqualFields(const BucketEntry& a, const BucketEntry& b) {
  constexpr uint64_t kFields = 0x5555555555555555;
  const uint64_t first = a.sketch[0] ^ b.sketch[0];
  const uint64_t second = a.sketch[1] ^ b.sketch[1];
  return 64 - std::popcount((first | first >> 1) & kFields) - std::popcount((second | second >> 1) & kFields);
}

uint64_t BucketOf(uint64_t hash, bool is_long) { return (hash & ~uint64_t{1}) | (is_long ? 1 : 0); }

void AddBands(std::span<const uint32_t> signature, size_t kind, size_t bands, size_t rows, const BucketEntry& like,
              std::vector<BucketEntry>* entries) {
  for (size_t band = 0; band < bands; ++band) {
    uint64_t bucket = BandSeed(kind, band);
    for (size_t row = 0; row < rows; ++row) bucket = Mix64(bucket + signature[band * rows + row]);
    BucketEntry entry = like;
    entry.bucket = BucketOf(bucket, kind == kLong);
    // Each band orders a large bucket in another way.
    for (uint64_t& half : entry.sketch) half = std::rotl(half, static_cast<int>(band % 32) * 2);
    entries->push_back(entry);
  }
}

}  // namespace

bool SketchesAreNear(const BucketEntry& a, const BucketEntry& b) {
  if (!LengthsAreNear(a.length(), b.length())) return false;
  const size_t mean = MeanLength(a.length(), b.length());
  if ((mean > kMaxShortMean) != a.is_long()) return false;
  if (a.is_long()) return EqualFields(a, b) >= kMinEqualFields;
  return static_cast<size_t>(std::popcount(a.sketch[1] ^ b.sketch[1])) <= 2 * MaxEdits(mean);
}

void BucketMaker::Make(uint64_t paragraph, std::u32string_view text, uint64_t character_set,
                       std::vector<BucketEntry>* entries) {
  entries->clear();
  if (text.size() >= kMinLong) MakeLong(text, entries);
  if (text.size() >= kMinShort && text.size() <= kMaxShort) MakeShort(text, character_set, entries);
  if (text.size() >= kMinComparable && text.size() <= kMaxVeryShort) MakeVeryShort(text, character_set, entries);
  const uint64_t length = std::min<uint64_t>(text.size(), BucketEntry::kMaxLength);
  for (BucketEntry& entry : *entries) entry.paragraph_and_length = paragraph << 24 | length;
}

void BucketMaker::MakeLong(std::u32string_view text, std::vector<BucketEntry>* entries) {
  features_.clear();
  ForEachGram(text, [this](uint64_t gram) {
    features_.push_back(static_cast<uint32_t>(gram >> 32));
    return true;
  });
  MinHash(features_, std::span(signature_).first(kLongFunctions), simd_);
  BucketEntry entry;
  for (size_t i = 0; i < kLongFunctions; ++i) {
    const uint64_t bits = (signature_[i] * 0x9e3779b1U) >> 30;
    entry.sketch[i / 32] |= bits << (i % 32 * 2);
  }
  AddBands(signature_, kLong, kLongBands, kLongRows, entry, entries);
}

void BucketMaker::MakeShort(std::u32string_view text, uint64_t character_set, std::vector<BucketEntry>* entries) {
  const auto blind = [](char32_t c) { return c >= U'0' && c <= U'9' ? U'0' : c; };
  counted_.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    counted_.push_back(Mix64(blind(text[i])));
    if (i > 0) counted_.push_back(Mix64(Pack3(1, blind(text[i - 1]), blind(text[i]))));
  }
  std::sort(counted_.begin(), counted_.end());
  features_.clear();
  uint64_t occurrence = 0;
  for (size_t i = 0; i < counted_.size(); ++i) {
    occurrence = i > 0 && counted_[i] == counted_[i - 1] ? occurrence + 1 : 0;
    features_.push_back(static_cast<uint32_t>(Mix64(counted_[i] + occurrence) >> 32));
  }
  static_assert(kShortFunctions <= kMostFunctions);
  MinHash(features_, std::span(signature_).first(kShortFunctions), simd_);
  BucketEntry entry;
  for (size_t i = 0; i < 64; ++i) entry.sketch[0] |= uint64_t{(signature_[i] * 0x9e3779b1U) >> 31} << i;
  entry.sketch[1] = character_set;
  AddBands(signature_, kShort, kShortBands, kShortRows, entry, entries);
}

void BucketMaker::MakeVeryShort(std::u32string_view text, uint64_t character_set, std::vector<BucketEntry>* entries) {
  BucketEntry entry;
  entry.sketch = {0, character_set};
  const size_t first = entries->size();
  for (size_t left_out = 0; left_out <= text.size(); ++left_out) {
    uint64_t bucket = BandSeed(kVeryShort, 0);
    for (size_t i = 0; i < text.size(); ++i) {
      if (i != left_out) bucket = Mix64(bucket + text[i]);
    }
    entry.bucket = BucketOf(bucket, false);
    entries->push_back(entry);
  }
  // Leaving out either of two equal neighbours gives the same.
  const auto by_bucket = [](const BucketEntry& a, const BucketEntry& b) { return a.bucket < b.bucket; };
  const auto begin = entries->begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, entries->end(), by_bucket);
  entries->erase(std::unique(begin, entries->end(),
                             [](const BucketEntry& a, const BucketEntry& b) { return a.bucket == b.bucket; }),
                 entries->end());
}

}  // namespace uzushio
