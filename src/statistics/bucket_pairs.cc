#include "statistics/bucket_pairs.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "base/sort.h"
#include "dedup/simhash.h"
#include "statistics/paragraph_number.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

arrow::Status AddPair(const CandidatePair& pair, SpillPartitions::Writer* pairs) {
  return pairs->AppendRecord(PartitionOf(pair.first), pair);
}

uint64_t BucketOf(const BucketEntry& entry) { return entry.bucket; }
uint64_t ParagraphOf(const BucketEntry& entry) { return entry.paragraph_and_length; }

// Calls `use` with the entries of each bucket, in order of paragraphs.
template <typename Use>
arrow::Status ForEachBucket(std::span<BucketEntry> all, Use use) {
  SortByKey(all, [](const BucketEntry& entry) { return WideKey(entry.bucket, entry.paragraph_and_length); });
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && all[end].bucket == all[begin].bucket) ++end;
    ARROW_RETURN_NOT_OK(use(all.subspan(begin, end - begin)));
    begin = end;
  }
  return arrow::Status::OK();
}

// Entries that are few.
arrow::Status LoadAll(SpillPartitions* from, size_t partition,
                      const std::function<arrow::Status(std::span<BucketEntry>)>& use) {
  ARROW_ASSIGN_OR_RAISE(const Bytes bytes, from->Take(partition));
  return use(Records<BucketEntry>(bytes));
}

// Calls `use` with all entries in order of their sketches, some at a time.
arrow::Status ForEachInSketchOrder(SpillPartitions* from, size_t partition, int64_t most,
                                   const std::function<arrow::Status(std::span<const BucketEntry>)>& use) {
  const auto sorted = [&use](std::span<BucketEntry> entries) {
    std::ranges::sort(entries, IsBeforeBySketch);
    return use(entries);
  };
  const auto by_paragraph = [&](SpillPartitions* entries, size_t part) {
    return ForEachRange<BucketEntry>(entries, part, most, ParagraphOf, sorted,
                                     [&](SpillPartitions* of, size_t one) { return LoadAll(of, one, sorted); });
  };
  const auto by_second_half = [&](SpillPartitions* entries, size_t part) {
    return ForEachRange<BucketEntry>(
        entries, part, most, [](const BucketEntry& entry) { return entry.sketch[1]; }, sorted, by_paragraph);
  };
  return ForEachRange<BucketEntry>(
      from, partition, most, [](const BucketEntry& entry) { return entry.sketch[0]; }, sorted, by_second_half);
}

// The first few entries, in order of paragraphs.
arrow::Result<std::vector<BucketEntry>> Leaders(const SpillPartitions& entries, size_t partition) {
  std::vector<BucketEntry> leaders;
  ARROW_RETURN_NOT_OK(entries.ReadChunks(partition, [&leaders](std::span<const char> bytes) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(BucketEntry)) {
      const auto& entry = *reinterpret_cast<const BucketEntry*>(bytes.data() + at);
      if (leaders.size() == kBucketLeaders && !IsBeforeByParagraph(entry, leaders.back())) continue;
      leaders.insert(std::ranges::upper_bound(leaders, entry, IsBeforeByParagraph), entry);
      if (leaders.size() > kBucketLeaders) leaders.pop_back();
    }
    return arrow::Status::OK();
  }));
  return leaders;
}

// A large bucket's leaders are kept; the others' paragraphs choose.
arrow::Status PutAside(const BucketEntry& entry, bool leads, const PairTargets& to) {
  if (!leads) return to.aside->AppendRecord(PartitionOf(entry.paragraph()), entry);
  ARROW_RETURN_NOT_OK(to.shares->AppendRecord(PartitionOf(entry.paragraph()), NeighbourShare{entry.paragraph(), 0, 1}));
  return to.kept->AppendRecord(BucketPartition(entry, to.entry_partitions), entry);
}

// The same for a bucket that is larger than what may be loaded.
arrow::Status PutAllAside(SpillPartitions* bucket, size_t partition, const PairTargets& to) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<BucketEntry> leaders, Leaders(*bucket, partition));
  return bucket->TakeChunks(partition, [&](std::span<const char> bytes) -> arrow::Status {
    for (size_t at = 0; at < bytes.size(); at += sizeof(BucketEntry)) {
      const auto& entry = *reinterpret_cast<const BucketEntry*>(bytes.data() + at);
      ARROW_RETURN_NOT_OK(PutAside(entry, !IsBeforeByParagraph(leaders.back(), entry), to));
    }
    return arrow::Status::OK();
  });
}

// What ForEachLargeCandidate does, of a bucket that is larger than what may be loaded.
arrow::Status PairHugeBucket(SpillPartitions* bucket, size_t partition, int64_t most, SpillPartitions::Writer* pairs) {
  ARROW_ASSIGN_OR_RAISE(std::vector<BucketEntry> leaders, Leaders(*bucket, partition));
  LargeBucket of(std::move(leaders));
  arrow::Status status;
  const auto add = [&](const CandidatePair& pair) {
    if (status.ok()) status = AddPair(pair, pairs);
  };
  return ForEachInSketchOrder(bucket, partition, most, [&](std::span<const BucketEntry> entries) {
    for (const BucketEntry& entry : entries) of.Add(entry, add);
    return status;
  });
}

}  // namespace

arrow::Status PairSmallBuckets(SpillPartitions* entries, size_t partition, int64_t most, const PairTargets& to) {
  const auto pair = [&to](std::span<BucketEntry> all) {
    return ForEachBucket(all, [&to](std::span<BucketEntry> bucket) {
      arrow::Status status;
      if (bucket.size() <= kMaxWholeBucket) {
        ForEachCandidate(bucket, [&](const CandidatePair& candidate) {
          if (status.ok()) status = AddPair(candidate, to.pairs);
        });
        return status;
      }
      for (size_t i = 0; i < bucket.size() && status.ok(); ++i) status = PutAside(bucket[i], i < kBucketLeaders, to);
      return status;
    });
  };
  constexpr auto kWholeBytes = static_cast<int64_t>(kMaxWholeBucket * sizeof(BucketEntry));
  return ForEachRange<BucketEntry>(entries, partition, most, BucketOf, pair, [&](SpillPartitions* bucket, size_t one) {
    return bucket->bytes(one) <= kWholeBytes ? LoadAll(bucket, one, pair) : PutAllAside(bucket, one, to);
  });
}

arrow::Status KeepLeast(SpillPartitions* aside, size_t partition, int64_t most, const PairTargets& to) {
  const auto keep = [&to](std::span<BucketEntry> all) -> arrow::Status {
    SortByKey(all, [](const BucketEntry& entry) { return WideKey(entry.paragraph_and_length, entry.bucket); });
    size_t first = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i == 0 || all[i].paragraph_and_length != all[first].paragraph_and_length) {
        first = i;
        const uint64_t paragraph = all[i].paragraph();
        ARROW_RETURN_NOT_OK(to.shares->AppendRecord(PartitionOf(paragraph), NeighbourShare{paragraph, 0, 1}));
      }
      if (i - first >= kMostLargeBuckets) continue;
      ARROW_RETURN_NOT_OK(to.kept->AppendRecord(BucketPartition(all[i], to.entry_partitions), all[i]));
    }
    return arrow::Status::OK();
  };
  return ForEachRange<BucketEntry>(aside, partition, most, ParagraphOf, keep,
                                   [&](SpillPartitions* of, size_t one) { return LoadAll(of, one, keep); });
}

arrow::Status PairLargeBuckets(SpillPartitions* kept, size_t partition, int64_t most, SpillPartitions::Writer* pairs) {
  const auto pair = [pairs](std::span<BucketEntry> all) {
    return ForEachBucket(all, [&](std::span<BucketEntry> bucket) {
      arrow::Status status;
      ForEachLargeCandidate(bucket, [&](const CandidatePair& candidate) {
        if (status.ok()) status = AddPair(candidate, pairs);
      });
      return status;
    });
  };
  return ForEachRange<BucketEntry>(kept, partition, most, BucketOf, pair, [&](SpillPartitions* bucket, size_t one) {
    return PairHugeBucket(bucket, one, most, pairs);
  });
}

arrow::Status PairRanks(SpillPartitions* entries, size_t partition, int64_t most, int ranks,
                        std::vector<BucketEntry>* window, SpillPartitions::Writer* pairs) {
  const auto kept = static_cast<size_t>(ranks);
  return ForEachInSketchOrder(entries, partition, most, [&](std::span<const BucketEntry> sorted) {
    size_t at = window->size();
    window->insert(window->end(), sorted.begin(), sorted.end());
    for (; at < window->size(); ++at) {
      const BucketEntry& entry = (*window)[at];
      for (size_t other = at - std::min(at, kept); other < at; ++other) {
        const BucketEntry& before = (*window)[other];
        if (!RotationsAreNear(before, entry)) continue;
        ARROW_RETURN_NOT_OK(AddPair(
            {std::min(before.paragraph(), entry.paragraph()), std::max(before.paragraph(), entry.paragraph())}, pairs));
      }
    }
    window->erase(window->begin(), window->end() - static_cast<std::ptrdiff_t>(std::min(window->size(), kept)));
    return arrow::Status::OK();
  });
}

}  // namespace uzushio
