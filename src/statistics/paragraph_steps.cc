#include "statistics/paragraph_steps.h"

#include "base/sort.h"
#include "base/utf8.h"
#include "dedup/simhash.h"
#include "statistics/bucket_pairs.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

// Whether a text has more than kMaxComparable code points for sure.
bool IsTooLong(std::string_view text) { return text.size() > 4 * kMaxComparable; }

}  // namespace

ComparableText Comparable(const StoredHeader& paragraph, std::u32string* points) {
  points->clear();
  DecodeUtf8(paragraph.text(), points);
  return {*points, paragraph.grams, paragraph.character_set};
}

arrow::Result<std::span<const char>> ParagraphEncoder::Store(SpillPartitions* from, size_t partition, int64_t most,
                                                             const Use& use) {
  ARROW_ASSIGN_OR_RAISE(const Bytes counted, TakeCounted(from, partition, most));
  stored_.clear();
  stored_.reserve(counted.size + counted.size / 2);
  size_t paragraphs = 0;
  ARROW_RETURN_NOT_OK(ForEachCounted(counted, [&](const CountedHeader& counts, std::string_view text) {
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
    const size_t local = paragraphs++;
    return use ? use(local, header, points_) : arrow::Status::OK();
  }));
  if (paragraphs >> kLocalBits != 0) return arrow::Status::CapacityError("too many paragraphs for the partitions");
  return stored_;
}

arrow::Status EntryMaker::Make(uint64_t paragraph, std::u32string_view points, uint64_t character_set,
                               SpillPartitions::Writer* entries) {
  if (points.size() < kMinComparable || points.size() > kMaxComparable) return arrow::Status::OK();
  const bool simhash = options_.candidates == CandidateMethod::kSimHash;
  const size_t ranges = simhash ? RotationPartitions(partitions_, options_.rotations) : 0;
  if (simhash) {
    MakeRotations(paragraph, points, options_.rotations, &entries_);
  } else {
    buckets_.Make(paragraph, points, character_set, &entries_);
  }
  count_ += static_cast<int64_t>(entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    const BucketEntry& entry = entries_[i];
    const size_t to =
        simhash ? i * ranges + (entry.bucket >> 32) * ranges / (1ULL << 32) : BucketPartition(entry, partitions_);
    ARROW_RETURN_NOT_OK(entries->AppendRecord(to, entry));
  }
  return arrow::Status::OK();
}

arrow::Status EntryMaker::Make(const PartitionView& paragraphs, size_t partition, SpillPartitions::Writer* entries) {
  for (size_t local = 0; local < paragraphs.size(); ++local) {
    const StoredHeader& paragraph = paragraphs[local];
    if (IsTooLong(paragraph.text())) continue;
    points_.clear();
    DecodeUtf8(paragraph.text(), &points_);
    ARROW_RETURN_NOT_OK(Make(ParagraphNumber(partition, local), points_, paragraph.character_set, entries));
  }
  return arrow::Status::OK();
}

arrow::Status ForEachDistinctPairs(SpillPartitions* pairs, size_t partition, int64_t most,
                                   const std::function<arrow::Status(std::span<const CandidatePair>)>& use) {
  const auto distinct = [&use](std::span<CandidatePair> some) {
    SortByKey(some, [](const CandidatePair& pair) { return WideKey(pair.first, pair.second); });
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

arrow::Status AttachFirsts(const PartitionView& firsts, std::span<const CandidatePair> pairs,
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
