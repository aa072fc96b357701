#include "stages/near_duplicate_steps.h"

#include "base/utf8.h"
#include "dedup/simhash.h"

namespace uzushio {
namespace {

arrow::Status AddPair(const CandidatePair& pair, SpillPartitions::Writer* pairs) {
  return pairs->AppendRecord(PartitionOf(pair.first), pair);
}

// Calls `use` with the entries of each bucket, in order of paragraphs.
template <typename Use>
arrow::Status ForEachBucket(const Bytes& bytes, Use use) {
  const std::span<BucketEntry> all = Records<BucketEntry>(bytes);
  std::sort(all.begin(), all.end(), [](const BucketEntry& a, const BucketEntry& b) {
    if (a.bucket != b.bucket) return a.bucket < b.bucket;
    return a.paragraph_and_length < b.paragraph_and_length;
  });
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && all[end].bucket == all[begin].bucket) ++end;
    ARROW_RETURN_NOT_OK(use(all.subspan(begin, end - begin)));
    begin = end;
  }
  return arrow::Status::OK();
}

}  // namespace

ComparableText Comparable(const StoredHeader& paragraph, std::u32string* points) {
  points->clear();
  DecodeUtf8(paragraph.text(), points);
  return {*points, paragraph.grams, paragraph.character_set};
}

arrow::Result<std::span<const char>> ParagraphStorer::Store(const Bytes& counted) {
  stored_.clear();
  stored_.reserve(counted.size + counted.size / 4);
  size_t paragraphs = 0;
  ARROW_RETURN_NOT_OK(ForEachCounted(counted, [&](const CountedHeader& from, std::string_view text) {
    ++paragraphs;
    points_.clear();
    DecodeUtf8(text, &points_);
    StoredHeader header;
    header.hash = from.hash;
    header.given_repr = from.given_repr;
    header.count = from.count;
    header.text_bytes = from.text_bytes;
    header.character_set = CharacterSet(points_);
    if (points_.size() >= kMinLong) header.grams = grams_.Count(points_);
    text_bytes_ += from.text_bytes;
    const auto* head = reinterpret_cast<const char*>(&header);
    stored_.insert(stored_.end(), head, head + sizeof header);
    stored_.insert(stored_.end(), text.begin(), text.end());
    stored_.resize((stored_.size() + 7) / 8 * 8);
    return arrow::Status::OK();
  }));
  if (paragraphs >> kLocalBits != 0) return arrow::Status::CapacityError("too many paragraphs for the partitions");
  return stored_;
}

arrow::Status EntryMaker::Make(const StoredParagraphs& paragraphs, size_t partition, SpillPartitions::Writer* entries) {
  const bool simhash = options_.candidates == CandidateMethod::kSimHash;
  const size_t ranges = simhash ? RotationPartitions(partitions_, options_.rotations) : 0;
  for (size_t local = 0; local < paragraphs.size(); ++local) {
    const StoredHeader& paragraph = paragraphs[local];
    points_.clear();
    DecodeUtf8(paragraph.text(), &points_);
    if (points_.size() < kMinComparable) continue;
    const uint64_t number = ParagraphNumber(partition, local);
    if (simhash) {
      MakeRotations(number, points_, options_.rotations, &entries_);
    } else {
      buckets_.Make(number, points_, paragraph.character_set, &entries_);
    }
    count_ += static_cast<int64_t>(entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i) {
      const BucketEntry& entry = entries_[i];
      const size_t to =
          simhash ? i * ranges + (entry.bucket >> 32) * ranges / (1ULL << 32) : BucketPartition(entry, partitions_);
      ARROW_RETURN_NOT_OK(entries->AppendRecord(to, entry));
    }
  }
  return arrow::Status::OK();
}

arrow::Status PairSmallBuckets(const Bytes& entries, size_t partitions, SpillPartitions::Writer* pairs,
                               SpillPartitions::Writer* aside, SpillPartitions::Writer* kept) {
  return ForEachBucket(entries, [&](std::span<BucketEntry> bucket) -> arrow::Status {
    arrow::Status status;
    if (bucket.size() <= kMaxWholeBucket) {
      ForEachCandidate(bucket, [&](const CandidatePair& pair) {
        if (status.ok()) status = AddPair(pair, pairs);
      });
      return status;
    }
    for (size_t i = 0; i < bucket.size(); ++i) {
      const BucketEntry& entry = bucket[i];
      ARROW_RETURN_NOT_OK(i < kBucketLeaders ? kept->AppendRecord(BucketPartition(entry, partitions), entry)
                                             : aside->AppendRecord(PartitionOf(entry.paragraph()), entry));
    }
    return status;
  });
}

arrow::Status KeepLeast(std::span<BucketEntry> aside, size_t partitions, SpillPartitions::Writer* kept) {
  std::sort(aside.begin(), aside.end(), [](const BucketEntry& a, const BucketEntry& b) {
    if (a.paragraph_and_length != b.paragraph_and_length) return a.paragraph_and_length < b.paragraph_and_length;
    return a.bucket < b.bucket;
  });
  size_t first = 0;
  for (size_t i = 0; i < aside.size(); ++i) {
    if (aside[i].paragraph_and_length != aside[first].paragraph_and_length) first = i;
    if (i - first >= kMostLargeBuckets) continue;
    ARROW_RETURN_NOT_OK(kept->AppendRecord(BucketPartition(aside[i], partitions), aside[i]));
  }
  return arrow::Status::OK();
}

arrow::Status PairLargeBuckets(const Bytes& kept, SpillPartitions::Writer* pairs) {
  return ForEachBucket(kept, [&](std::span<BucketEntry> bucket) {
    arrow::Status status;
    ForEachLargeCandidate(bucket, [&](const CandidatePair& pair) {
      if (status.ok()) status = AddPair(pair, pairs);
    });
    return status;
  });
}

arrow::Status PairRanks(std::span<BucketEntry> entries, int ranks, std::vector<BucketEntry>* window,
                        SpillPartitions::Writer* pairs) {
  std::ranges::sort(entries, IsBeforeInRotation);
  const auto most = static_cast<size_t>(ranks);
  size_t at = window->size();
  window->insert(window->end(), entries.begin(), entries.end());
  for (; at < window->size(); ++at) {
    const BucketEntry& entry = (*window)[at];
    for (size_t other = at - std::min(at, most); other < at; ++other) {
      const BucketEntry& before = (*window)[other];
      if (!RotationsAreNear(before, entry)) continue;
      ARROW_RETURN_NOT_OK(AddPair(
          {std::min(before.paragraph(), entry.paragraph()), std::max(before.paragraph(), entry.paragraph())}, pairs));
    }
  }
  window->erase(window->begin(), window->end() - static_cast<std::ptrdiff_t>(std::min(window->size(), most)));
  return arrow::Status::OK();
}

}  // namespace uzushio
