// What finding near-duplicates does with one partition. The local program takes all partitions of a step after one
// another (near_duplicates.cc); engines that move the data between machines take each as a task (exchange.cc).
//
// Results of a step go to partitions of the next through writers. They depend on the set of records in a partition,
// not on their order.
#pragma once

#include <arrow/result.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dedup/candidates.h"
#include "dedup/comparer.h"
#include "io/paragraph_counts.h"
#include "io/spill.h"
#include "stages/near_duplicates.h"

namespace uzushio {

// A paragraph's number: its partition and its place in it, so that numbers are in order of hashes.
inline constexpr int kLocalBits = 28;
constexpr uint64_t ParagraphNumber(size_t partition, size_t local) { return uint64_t{partition} << kLocalBits | local; }
constexpr size_t PartitionOf(uint64_t number) { return number >> kLocalBits; }
constexpr size_t LocalOf(uint64_t number) { return number & ((uint64_t{1} << kLocalBits) - 1); }

// A distinct paragraph as it is kept; its text follows, filled up to a multiple of eight bytes.
struct StoredHeader {
  int64_t hash = 0;
  int64_t given_repr = 0;
  uint64_t character_set = 0;
  uint32_t count = 0;
  uint32_t text_bytes = 0;
  uint32_t grams = 0;
  uint32_t unused = 0;

  size_t stored_bytes() const { return sizeof(StoredHeader) + (size_t{text_bytes} + 7) / 8 * 8; }
  std::string_view text() const { return {reinterpret_cast<const char*>(this + 1), text_bytes}; }
};
static_assert(sizeof(StoredHeader) == 40);

// The paragraphs of a partition, to be read in any order.
class StoredParagraphs {
 public:
  StoredParagraphs() = default;
  explicit StoredParagraphs(Bytes bytes) : owned_(std::move(bytes)) { Index(owned_.span()); }
  // Of bytes that stay where they are.
  explicit StoredParagraphs(std::span<const char> bytes) { Index(bytes); }

  size_t size() const { return places_.size(); }
  const StoredHeader& operator[](size_t local) const {
    return *reinterpret_cast<const StoredHeader*>(data_ + size_t{places_[local]} * 8);
  }

 private:
  void Index(std::span<const char> bytes) {
    data_ = bytes.data();
    for (size_t at = 0; at < bytes.size();) {
      places_.push_back(static_cast<uint32_t>(at / 8));
      at += reinterpret_cast<const StoredHeader*>(data_ + at)->stored_bytes();
    }
  }
  Bytes owned_;
  const char* data_ = nullptr;
  std::vector<uint32_t> places_;
};

// The text with what comparisons need. `points` holds its characters.
ComparableText Comparable(const StoredHeader& paragraph, std::u32string* points);

// A pair of near-duplicates, or a paragraph (second) and the pivot that took it (first); first < second.
struct HashPair {
  int64_t first = 0;
  int64_t second = 0;
  auto operator<=>(const HashPair&) const = default;
};

// What a paragraph adds to its group.
struct GroupShare {
  int64_t repr_hash = 0;
  int64_t hash = 0;
  uint32_t count = 0;
  uint32_t has_text = 0;
};

// 1. The distinct paragraphs of a partition. Keeps its memory; one for each thread.
class ParagraphStorer {
 public:
  // Adds up what was counted. The result is valid until the next call.
  arrow::Result<std::span<const char>> Store(const Bytes& counted);
  int64_t text_bytes() const { return text_bytes_; }  // of all that was stored

 private:
  GramCounter grams_;
  std::u32string points_;
  std::vector<char> stored_;
  int64_t text_bytes_ = 0;
};

// 2. Their entries in buckets, or in rotations of SimHash signatures.
class EntryMaker {
 public:
  EntryMaker(const NearDuplicateOptions& options, size_t partitions) : options_(options), partitions_(partitions) {}
  arrow::Status Make(const StoredParagraphs& paragraphs, size_t partition, SpillPartitions::Writer* entries);
  int64_t entries() const { return count_; }  // made

 private:
  const NearDuplicateOptions options_;
  const size_t partitions_;
  BucketMaker buckets_;
  std::u32string points_;
  std::vector<BucketEntry> entries_;
  int64_t count_ = 0;
};

constexpr size_t BucketPartition(const BucketEntry& entry, size_t partitions) {
  return (entry.bucket >> 32) % partitions;
}
// Each rotation has its own partitions, ranges of the rotated signatures: as many, from rotation times as many on.
constexpr size_t RotationPartitions(size_t partitions, int rotations) {
  return partitions / static_cast<size_t>(rotations);
}

// 3. Pairs go to the partition of their first paragraph.
//
// All pairs of the small buckets. Entries of large ones are put aside, by paragraph, except their leaders, which go to
// `kept`, by bucket.
arrow::Status PairSmallBuckets(const Bytes& entries, size_t partitions, SpillPartitions::Writer* pairs,
                               SpillPartitions::Writer* aside, SpillPartitions::Writer* kept);
// Hands on, by bucket, the entries in the large buckets with the least hashes, for each paragraph.
arrow::Status KeepLeast(std::span<BucketEntry> aside, size_t partitions, SpillPartitions::Writer* kept);
// The pairs of what is left of the large buckets.
arrow::Status PairLargeBuckets(const Bytes& kept, SpillPartitions::Writer* pairs);
// The order of a rotation.
inline bool IsBeforeInRotation(const BucketEntry& a, const BucketEntry& b) {
  return a.sketch != b.sketch ? a.sketch < b.sketch : a.paragraph_and_length < b.paragraph_and_length;
}
// The pairs of a range of a rotation. `window` has the last ranks of the ranges before, and then those of this one.
arrow::Status PairRanks(std::span<BucketEntry> entries, int ranks, std::vector<BucketEntry>* window,
                        SpillPartitions::Writer* pairs);

// A paragraph without its text. 24 bytes.
struct ParagraphHead {
  int64_t hash = 0;
  int64_t given_repr = 0;
  uint32_t count = 0;
  uint32_t text_bytes = 0;
};

// 5. What each paragraph adds to its group, by hash of its pivot: `taken` are the paragraphs that pivots took.
// Paragraphs are StoredHeader or ParagraphHead, in order of hashes.
template <typename Paragraphs>
arrow::Status ShareGroups(const Paragraphs& paragraphs, std::span<HashPair> taken, const HashPartitioning& partitioning,
                          SpillPartitions::Writer* shares) {
  std::ranges::sort(taken, {}, &HashPair::second);
  auto member = taken.begin();
  for (size_t local = 0; local < paragraphs.size(); ++local) {
    const auto& paragraph = paragraphs[local];
    int64_t repr = paragraph.given_repr;
    if (member != taken.end() && member->second == paragraph.hash) {
      repr = std::min(repr, member->first);
      ++member;
    }
    const GroupShare share = {repr, paragraph.hash, paragraph.count, paragraph.text_bytes > 0 ? 1U : 0U};
    ARROW_RETURN_NOT_OK(shares->AppendRecord(partitioning(repr), share));
  }
  return arrow::Status::OK();
}

// The groups' sums: calls `use(StatisticsRow, GroupShare)` for each member. The sizes are added to what is there.
struct GroupSizes {
  int64_t groups = 0;  // of two and more
  int64_t largest = 0;
};
template <typename Use>
arrow::Status SumGroups(std::span<GroupShare> shares, GroupSizes* sizes, Use use) {
  constexpr auto clamp = [](uint64_t count) { return static_cast<int32_t>(std::min<uint64_t>(count, INT32_MAX)); };
  std::ranges::sort(shares, {}, &GroupShare::repr_hash);
  for (auto begin = shares.begin(); begin != shares.end();) {
    auto end = begin;
    uint64_t sum = 0;
    for (; end != shares.end() && end->repr_hash == begin->repr_hash; ++end) sum += end->count;
    if (end - begin > 1) ++sizes->groups;
    sizes->largest = std::max<int64_t>(sizes->largest, end - begin);
    for (; begin != end; ++begin) {
      ARROW_RETURN_NOT_OK(use(StatisticsRow{begin->hash, begin->repr_hash, clamp(begin->count), clamp(sum)}, *begin));
    }
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
