#include "statistics/paragraph_steps.h"

#include "base/utf8.h"
#include "dedup/simhash.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

arrow::Status AddPair(const CandidatePair& pair, SpillPartitions::Writer* pairs) {
  return pairs->AppendRecord(PartitionOf(pair.first), pair);
}

// Whether a text has more than kMaxComparable code points for sure.
bool IsTooLong(std::string_view text) { return text.size() > 4 * kMaxComparable; }

uint64_t BucketOf(const BucketEntry& entry) { return entry.bucket; }
uint64_t ParagraphOf(const BucketEntry& entry) { return entry.paragraph_and_length; }

// Calls `use` with the entries of each bucket, in order of paragraphs.
template <typename Use>
arrow::Status ForEachBucket(std::span<BucketEntry> all, Use use) {
  std::sort(all.begin(), all.end(), [](const BucketEntry& a, const BucketEntry& b) {
    if (a.bucket != b.bucket) return a.bucket < b.bucket;
    return IsBeforeByParagraph(a, b);
  });
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

ComparableText Comparable(const StoredHeader& paragraph, std::u32string* points) {
  points->clear();
  DecodeUtf8(paragraph.text(), points);
  return {*points, paragraph.grams, paragraph.character_set};
}

arrow::Result<std::span<const char>> ParagraphStorer::Store(SpillPartitions* from, size_t partition, int64_t most) {
  ARROW_ASSIGN_OR_RAISE(const Bytes counted, TakeCounted(from, partition, most));
  stored_.clear();
  stored_.reserve(counted.size + counted.size / 2);
  size_t paragraphs = 0;
  ARROW_RETURN_NOT_OK(ForEachCounted(counted, [&](const CountedHeader& counts, std::string_view text) {
    ++paragraphs;
    points_.clear();
    if (!IsTooLong(text)) DecodeUtf8(text, &points_);
    StoredHeader header;
    header.hash = counts.hash;
    header.given_pivot = counts.given_pivot;
    header.count = counts.count;
    header.given_near = counts.given_near;
    header.text_bytes = counts.text_bytes;
    header.character_set = CharacterSet(points_);
    if (points_.size() >= kMinLong && points_.size() <= kMaxComparable) header.grams = grams_.Count(points_);
    text_bytes_ += counts.text_bytes;
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
    if (IsTooLong(paragraph.text())) continue;
    points_.clear();
    DecodeUtf8(paragraph.text(), &points_);
    if (points_.size() < kMinComparable || points_.size() > kMaxComparable) continue;
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
    std::sort(all.begin(), all.end(), [](const BucketEntry& a, const BucketEntry& b) {
      if (a.paragraph_and_length != b.paragraph_and_length) return IsBeforeByParagraph(a, b);
      return a.bucket < b.bucket;
    });
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

arrow::Status ForEachDistinctPairs(SpillPartitions* pairs, size_t partition, int64_t most,
                                   const std::function<arrow::Status(std::span<const CandidatePair>)>& use) {
  const auto distinct = [&use](std::span<CandidatePair> some) {
    std::sort(some.begin(), some.end());
    return use({some.begin(), std::unique(some.begin(), some.end())});
  };
  const auto one_pair = [&use](SpillPartitions* same, size_t part) -> arrow::Status {
    SpillPartitions::Taken taken(same, part);
    ARROW_ASSIGN_OR_RAISE(const std::optional<Bytes> some, taken.Next());
    return use(Records<CandidatePair>(*some).first(1));
  };
  const auto of_one_second = [&](SpillPartitions* some, size_t part) {
    return ForEachRange<CandidatePair>(
        some, part, most, [](const CandidatePair& pair) { return pair.first; }, distinct, one_pair);
  };
  return ForEachRange<CandidatePair>(
      pairs, partition, most, [](const CandidatePair& pair) { return pair.second; }, distinct, of_one_second);
}

arrow::Status AttachFirsts(const StoredParagraphs& firsts, std::span<const CandidatePair> pairs,
                           const std::function<size_t(size_t)>& target, std::string* record,
                           SpillPartitions::Writer* attached) {
  constexpr size_t kMostSeconds = 1024;
  for (size_t begin = 0; begin < pairs.size();) {
    const size_t to = target(PartitionOf(pairs[begin].second));
    size_t end = begin + 1;
    while (end < pairs.size() && end - begin < kMostSeconds && pairs[end].first == pairs[begin].first &&
           target(PartitionOf(pairs[end].second)) == to) {
      ++end;
    }
    const StoredHeader& first = firsts[LocalOf(pairs[begin].first)];
    const AttachedHeader header = {pairs[begin].first, static_cast<uint32_t>(first.stored_bytes()),
                                   static_cast<uint32_t>(end - begin)};
    record->assign(reinterpret_cast<const char*>(&header), sizeof header);
    record->append(reinterpret_cast<const char*>(&first), header.stored_bytes);
    for (size_t i = begin; i < end; ++i) {
      record->append(reinterpret_cast<const char*>(&pairs[i].second), sizeof(uint64_t));
    }
    ARROW_RETURN_NOT_OK(attached->Append(to, *record));
    begin = end;
  }
  return arrow::Status::OK();
}

arrow::Status ShareGroups(std::span<const ParagraphHead> paragraphs, std::span<HashPair> taken,
                          SpillPartitions* neighbours, size_t partition, const HashPartitioning& partitioning,
                          SpillPartitions::Writer* shares) {
  struct Known {
    uint32_t count = 0;
    bool partial = false;
  };
  std::vector<Known> known(paragraphs.size());
  ARROW_RETURN_NOT_OK(neighbours->TakeChunks(partition, [&known](std::span<const char> bytes) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(NeighbourShare)) {
      const auto& share = *reinterpret_cast<const NeighbourShare*>(bytes.data() + at);
      Known& of = known[LocalOf(share.paragraph)];
      of.count = AddSaturating(of.count, share.count);
      of.partial |= share.partial != 0;
    }
    return arrow::Status::OK();
  }));
  std::ranges::sort(taken, {}, &HashPair::second);
  auto member = taken.begin();
  for (size_t local = 0; local < paragraphs.size(); ++local) {
    const ParagraphHead& paragraph = paragraphs[local];
    int64_t repr = paragraph.given_pivot;
    if (member != taken.end() && member->second == paragraph.hash) {
      repr = std::min(repr, member->first);
      ++member;
    }
    // Near-duplicates that other statistics tell of may be among those that were found.
    const uint32_t near = AddSaturating(paragraph.count, std::max(known[local].count, paragraph.given_near));
    const GroupShare share = {repr,
                              paragraph.hash,
                              paragraph.count,
                              near,
                              paragraph.text_bytes > 0 ? 1U : 0U,
                              known[local].partial ? 1U : 0U};
    ARROW_RETURN_NOT_OK(shares->AppendRecord(partitioning(repr), share));
  }
  return arrow::Status::OK();
}

namespace {

constexpr int32_t Clamped(uint64_t count) { return static_cast<int32_t>(std::min<uint64_t>(count, INT32_MAX)); }

StatisticsRow RowOf(const GroupShare& share, uint64_t sum) {
  const uint64_t near = share.partial == 0 ? share.near : std::max<uint64_t>(share.near, sum);
  return {share.hash, share.repr_hash, Clamped(share.count), Clamped(near), Clamped(sum)};
}

}  // namespace

arrow::Status SumGroups(SpillPartitions* shares, size_t partition, int64_t most, GroupSizes* sizes,
                        const std::function<arrow::Status(const StatisticsRow&, const GroupShare&)>& use) {
  const auto add_size = [sizes](int64_t members) {
    if (members > 1) ++sizes->groups;
    sizes->largest = std::max(sizes->largest, members);
  };
  const auto groups = [&](std::span<GroupShare> some) -> arrow::Status {
    std::ranges::sort(some, {}, &GroupShare::repr_hash);
    for (auto begin = some.begin(); begin != some.end();) {
      auto end = begin;
      uint64_t sum = 0;
      for (; end != some.end() && end->repr_hash == begin->repr_hash; ++end) sum += end->count;
      add_size(end - begin);
      for (; begin != end; ++begin) ARROW_RETURN_NOT_OK(use(RowOf(*begin, sum), *begin));
    }
    return arrow::Status::OK();
  };
  const auto one_group = [&](SpillPartitions* group, size_t part) -> arrow::Status {
    const auto members = [](std::span<const char> bytes) {
      return std::span(reinterpret_cast<const GroupShare*>(bytes.data()), bytes.size() / sizeof(GroupShare));
    };
    uint64_t sum = 0;
    add_size(group->bytes(part) / static_cast<int64_t>(sizeof(GroupShare)));
    ARROW_RETURN_NOT_OK(group->ReadChunks(part, [&](std::span<const char> bytes) {
      for (const GroupShare& share : members(bytes)) sum += share.count;
      return arrow::Status::OK();
    }));
    return group->TakeChunks(part, [&](std::span<const char> bytes) -> arrow::Status {
      for (const GroupShare& share : members(bytes)) ARROW_RETURN_NOT_OK(use(RowOf(share, sum), share));
      return arrow::Status::OK();
    });
  };
  return ForEachRange<GroupShare>(
      shares, partition, most, [](const GroupShare& share) { return static_cast<uint64_t>(share.repr_hash); }, groups,
      one_group);
}

}  // namespace uzushio
