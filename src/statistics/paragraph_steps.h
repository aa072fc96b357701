// What finding near-duplicates does with one partition. The local program takes all partitions of a step after one
// another (search.cc); engines that move the data between machines take each as a task (step_task.cc).
//
// Steps have the numbers of search.h; the third is in bucket_pairs.h, the fifth in groups.h. Results of a step go to
// partitions of the next through writers. They depend on the set of records in a partition, not on their order.
#pragma once

#include <arrow/result.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dedup/candidates.h"
#include "dedup/comparer.h"
#include "statistics/counted_paragraphs.h"
#include "statistics/paragraph_number.h"
#include "statistics/search.h"
#include "storage/spill.h"

namespace uzushio {

// A distinct paragraph as it is kept; its text follows, filled up to a multiple of eight bytes.
struct StoredHeader {
  int64_t hash = 0;
  int64_t given_pivot = 0;
  uint64_t character_set = 0;
  uint32_t count = 0;
  uint32_t given_near = 0;
  uint32_t text_bytes = 0;
  uint32_t grams = 0;

  size_t stored_bytes() const { return sizeof(StoredHeader) + (size_t{text_bytes} + 7) / 8 * 8; }
  std::string_view text() const { return {reinterpret_cast<const char*>(this + 1), text_bytes}; }
};
static_assert(sizeof(StoredHeader) == 40);

// A distinct paragraph without its text.
struct ParagraphHead {
  ParagraphHead() = default;
  explicit ParagraphHead(const StoredHeader& stored)
      : hash(stored.hash),
        given_pivot(stored.given_pivot),
        count(stored.count),
        given_near(stored.given_near),
        text_bytes(stored.text_bytes) {}
  int64_t hash = 0;
  int64_t given_pivot = 0;
  uint32_t count = 0;
  uint32_t given_near = 0;
  uint32_t text_bytes = 0;
  uint32_t unused = 0;
};

// The paragraphs of a partition, to be read in any order.
class PartitionView {
 public:
  PartitionView() = default;
  explicit PartitionView(Bytes bytes) : owned_(std::move(bytes)) { Index(owned_.span()); }
  // Of bytes that stay where they are.
  explicit PartitionView(std::span<const char> bytes) { Index(bytes); }

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
  uint32_t near = 0;  // it and its near-duplicates, as far as they are known
  uint32_t has_text = 0;
  uint32_t partial = 0;  // `near` may lack some
};

// 1. The distinct paragraphs of a partition. Keeps its memory; one for each thread.
class ParagraphEncoder {
 public:
  // Gets each paragraph's number in the partition, and its characters: none of a text too long to be compared.
  using Use = std::function<arrow::Status(size_t local, const StoredHeader& paragraph, std::u32string_view points)>;

  // Adds up what was counted, which is taken. The result is valid until the next call.
  arrow::Result<std::span<const char>> Store(SpillPartitions* counted, size_t partition, int64_t most,
                                             const Use& use = nullptr);
  int64_t text_bytes() const { return text_bytes_; }  // of all that was stored

 private:
  GramCounter grams_;
  std::u32string points_;
  std::vector<char> stored_;
  int64_t text_bytes_ = 0;
};

// 2. Their entries in buckets, or in rotations of SimHash signatures, in so many partitions of entries.
class EntryMaker {
 public:
  EntryMaker(const NearDuplicateOptions& options, size_t partitions) : options_(options), partitions_(partitions) {}
  // Of a paragraph; none of one that is too short or too long to be compared.
  arrow::Status Make(uint64_t paragraph, std::u32string_view points, uint64_t character_set,
                     SpillPartitions::Writer* entries);
  // Of all of a partition.
  arrow::Status Make(const PartitionView& paragraphs, size_t partition, SpillPartitions::Writer* entries);
  int64_t entries() const { return count_; }  // made

 private:
  const NearDuplicateOptions options_;
  const size_t partitions_;
  BucketMaker buckets_;
  std::u32string points_;
  std::vector<BucketEntry> entries_;
  int64_t count_ = 0;
};

// Steps 3, 4 and 6 take partitions that may be larger than memory, at most `most` bytes of records at a time.

// 4. Calls `use` with the pairs of a partition, each once, some at a time: ranges of the second paragraph, in the order
// of pairs within one.
arrow::Status ForEachDistinctPairs(SpillPartitions* pairs, size_t partition, int64_t most,
                                   const std::function<arrow::Status(std::span<const CandidatePair>)>& use);

// A first paragraph and what it is to be compared with, where not all texts are in memory: this, the paragraph as it is
// stored, and the numbers of the seconds.
struct AttachedHeader {
  uint64_t first = 0;
  uint32_t stored_bytes = 0;
  uint32_t seconds = 0;
};
// Hands the firsts of pairs on to where their seconds are: `target` gives it for a second's partition, and does not
// decrease. `firsts` are the paragraphs of the firsts' partition; `record` is room.
arrow::Status AttachFirsts(const PartitionView& firsts, std::span<const CandidatePair> pairs,
                           const std::function<size_t(size_t)>& target, std::string* record,
                           SpillPartitions::Writer* attached);

// Compares one paragraph with others. One for each thread.
class RowComparer {
 public:
  // Calls `use(number)` for each of `seconds` that is near `first`; `paragraph(number)` is its StoredHeader.
  template <typename Paragraph, typename Use>
  arrow::Status Compare(const StoredHeader& first, std::span<const uint64_t> seconds, Paragraph paragraph, Use use) {
    comparer_.SetPivot(Comparable(first, &first_points_));
    for (const uint64_t number : seconds) {
      if (comparer_.IsNear(Comparable(paragraph(number), &points_))) ARROW_RETURN_NOT_OK(use(number));
    }
    return arrow::Status::OK();
  }

  // The same for attached ones: `use(first's number, first, second's number)`, and `end(first's number)` after each
  // first.
  template <typename Paragraph, typename Use, typename End>
  arrow::Status CompareAttached(std::span<const char> attached, Paragraph paragraph, Use use, End end) {
    for (size_t at = 0; at < attached.size();) {
      const auto& header = *reinterpret_cast<const AttachedHeader*>(attached.data() + at);
      const auto& first = *reinterpret_cast<const StoredHeader*>(&header + 1);
      at += sizeof(AttachedHeader) + header.stored_bytes;
      const std::span seconds(reinterpret_cast<const uint64_t*>(attached.data() + at), header.seconds);
      at += seconds.size_bytes();
      ARROW_RETURN_NOT_OK(
          Compare(first, seconds, paragraph, [&](uint64_t second) { return use(header.first, first, second); }));
      ARROW_RETURN_NOT_OK(end(header.first));
    }
    return arrow::Status::OK();
  }

 private:
  Comparer comparer_;
  std::u32string first_points_;
  std::u32string points_;
};

// 6. What each paragraph adds to its group, by hash of its pivot: `taken` are the paragraphs that pivots took.
// `paragraphs` are in order of hashes; `neighbours` has NeighbourShares of this partition, and is taken.
arrow::Status ShareGroups(std::span<const ParagraphHead> paragraphs, std::span<HashPair> taken,
                          SpillPartitions* neighbours, size_t partition, const HashPartitioning& partitioning,
                          SpillPartitions::Writer* shares);

// The groups' sums, and the rows that come of it. The sizes are added to what is there.
struct GroupSizes {
  int64_t groups = 0;  // of two and more
  int64_t largest = 0;
};
arrow::Status SumGroups(SpillPartitions* shares, size_t partition, int64_t most, GroupSizes* sizes,
                        const std::function<arrow::Status(const StatisticsRow&, const GroupShare&)>& use);

}  // namespace uzushio
