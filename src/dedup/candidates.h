// Which pairs of paragraphs are worth comparing: locality-sensitive hashing into buckets.
//
// A paragraph is put into a number of buckets by hashes that near-duplicates are likely to share. Whether two share
// one does not depend on the rest of the corpus, so that recall does not fall when the corpus grows.
//
//   * Long paragraphs (from 27 code points on, where a mean above 30 is possible): MinHash over their 3- and 4-grams,
//     16 bands of 4 rows. At Jaccard J a pair shares a bucket with probability 1 - (1 - J^4)^16: .988 at J = .7,
//     .9998 at .8 (Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, section 3.4).
//   * Short paragraphs (up to 34 code points): MinHash over the multiset of characters and 2-grams, digits made equal,
//     20 bands of 4 rows. Dates, numbers and labels differ in digits most.
//   * Very short ones (up to 7 code points), of which one edit makes a near-duplicate: buckets of the text itself and
//   of
//     each text with one character left out (Mor and Fraenkel 1982). Exact: none is lost up to a mean length of 6.
//
// An entry carries a sketch of the paragraph, so that most pairs of a bucket that are no near-duplicates are seen
// without their texts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dedup/minhash.h"
#include "dedup/relation.h"

namespace uzushio {

// A paragraph in a bucket. 32 bytes, written to disk as they are.
struct BucketEntry {
  uint64_t bucket = 0;
  uint64_t paragraph_and_length = 0;  // 40 bits: the paragraph's number; 24 bits: its length, at most kMaxLength
  std::array<uint64_t, 2> sketch{};

  static constexpr uint64_t kMaxLength = (uint64_t{1} << 24) - 1;
  uint64_t paragraph() const { return paragraph_and_length >> 24; }
  size_t length() const { return paragraph_and_length & kMaxLength; }
  // The lowest bit of `bucket` tells buckets of long paragraphs, for pairs of a mean length above kMaxShortMean, from
  // those of short ones: the two kinds have other sketches.
  bool is_long() const { return (bucket & 1) != 0; }
};
static_assert(sizeof(BucketEntry) == 32);

// Two paragraphs to be compared; first < second.
struct CandidatePair {
  uint64_t first = 0;
  uint64_t second = 0;
  auto operator<=>(const CandidatePair&) const = default;
};

// Makes the entries of paragraphs. Works in buffers that it keeps.
class BucketMaker {
 public:
  explicit BucketMaker(Simd simd = BestSimd()) : simd_(simd) {}
  // The entries of the paragraph with this number (below 2^40), replacing what `entries` held.
  void Make(uint64_t paragraph, std::u32string_view text, uint64_t character_set, std::vector<BucketEntry>* entries);

 private:
  static constexpr size_t kMostFunctions = 96;
  void MakeLong(std::u32string_view text, std::vector<BucketEntry>* entries);
  void MakeShort(std::u32string_view text, uint64_t character_set, std::vector<BucketEntry>* entries);
  static void MakeVeryShort(std::u32string_view text, uint64_t character_set, std::vector<BucketEntry>* entries);

  Simd simd_;
  std::array<uint32_t, kMostFunctions> signature_{};
  std::vector<uint32_t> features_;
  std::vector<uint64_t> counted_;
};

// Lengths of the three kinds.
inline constexpr size_t kMinLong = 27;
inline constexpr size_t kMaxShort = 34;
inline constexpr size_t kMinShort = 6;
inline constexpr size_t kMaxVeryShort = 7;
inline constexpr size_t kMinComparable = 4;  // below, no edit is allowed
// Longer ones are near-duplicates of none: what comparing takes grows with them, some hundred bytes a code point.
inline constexpr size_t kMaxComparable = size_t{1} << 17;

// Whether the sketches let the two be near-duplicates. Never wrong for short paragraphs; for long ones a true pair is
// lost with a probability below .001 (at Jaccard 0.7; below 1e-6 at 0.8).
bool SketchesAreNear(const BucketEntry& a, const BucketEntry& b);

// Buckets up to this size give all their pairs. Of larger ones, a paragraph stays in the kMostLargeBuckets with the
// least hashes; there it is paired with the first few of the bucket (kBucketLeaders), and with its neighbours in the
// order of their sketches. So a million variants of one text, which are together in most of their buckets, cost some
// hundred pairs each, not their square.
inline constexpr size_t kMaxWholeBucket = 512;
inline constexpr size_t kMostLargeBuckets = 4;
inline constexpr size_t kBucketLeaders = 8;
inline constexpr size_t kBucketNeighbours = 16;

inline bool IsBeforeByParagraph(const BucketEntry& a, const BucketEntry& b) {
  return a.paragraph_and_length < b.paragraph_and_length;
}
inline bool IsBeforeBySketch(const BucketEntry& a, const BucketEntry& b) {
  return a.sketch != b.sketch ? a.sketch < b.sketch : IsBeforeByParagraph(a, b);
}

// Calls `use(pair)` when the two differ and their sketches are near. A pair may come twice.
template <typename Use>
void PairEntries(const BucketEntry& a, const BucketEntry& b, Use& use) {
  if (a.paragraph() == b.paragraph() || !SketchesAreNear(a, b)) return;
  use(CandidatePair{std::min(a.paragraph(), b.paragraph()), std::max(a.paragraph(), b.paragraph())});
}

// The candidates of one bucket of at most kMaxWholeBucket entries.
template <typename Use>
void ForEachCandidate(std::span<const BucketEntry> bucket, Use use) {
  for (size_t i = 0; i < bucket.size(); ++i) {
    for (size_t j = i + 1; j < bucket.size(); ++j) PairEntries(bucket[i], bucket[j], use);
  }
}

// Those of what is left of a larger one. `leaders` are its first entries by paragraph, kBucketLeaders at most.
class LargeBucket {
 public:
  explicit LargeBucket(std::vector<BucketEntry> leaders) : leaders_(std::move(leaders)) {}

  // The pairs of an entry with leaders and entries before. Entries, leaders among them, come in order of their
  // sketches.
  template <typename Use>
  void Add(const BucketEntry& entry, Use& use) {
    for (const BucketEntry& leader : leaders_) {
      if (!IsBeforeByParagraph(leader, entry)) break;
      PairEntries(leader, entry, use);
    }
    for (size_t i = count_ - std::min(count_, kBucketNeighbours); i < count_; ++i) {
      PairEntries(neighbours_[i % kBucketNeighbours], entry, use);
    }
    neighbours_[count_++ % kBucketNeighbours] = entry;
  }

 private:
  std::vector<BucketEntry> leaders_;
  std::array<BucketEntry, kBucketNeighbours> neighbours_;  // the last entries
  size_t count_ = 0;
};

// The same for entries in order of paragraphs, which it reorders.
template <typename Use>
void ForEachLargeCandidate(std::span<BucketEntry> bucket, Use use) {
  const auto leaders = bucket.first(std::min(kBucketLeaders, bucket.size()));
  LargeBucket pairs({leaders.begin(), leaders.end()});
  std::sort(bucket.begin(), bucket.end(), IsBeforeBySketch);
  for (const BucketEntry& entry : bucket) pairs.Add(entry, use);
}

}  // namespace uzushio
