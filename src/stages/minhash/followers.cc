#include "stages/minhash/followers.h"

#include <algorithm>
#include <optional>

#include "base/ordered.h"
#include "base/sort.h"
#include "storage/spill_ranges.h"

namespace uzushio {
namespace {

// So many that a partition of some hundred million documents still is cut once only.
constexpr size_t kBucketPartitions = 256;
constexpr int kBucketShift = 56;
constexpr size_t kFollowerPartitions = 64;

// For OrderedFor.
struct PartitionItem {
  int64_t bytes = 0;
};

std::vector<PartitionItem> ItemsOf(const SpillPartitions& partitions) {
  std::vector<PartitionItem> items(partitions.size());
  for (size_t i = 0; i < items.size(); ++i) items[i].bytes = partitions.bytes(i) + 1;
  return items;
}

}  // namespace

size_t MinhashResources::buffer_bytes(size_t partitions, size_t writers) const {
  const auto share = static_cast<size_t>(plan.buffers) / partitions / writers;
  return std::clamp(share, static_cast<size_t>(kWriterBuffer.least), static_cast<size_t>(kWriterBuffer.most));
}

BucketPartitions::BucketPartitions(const MinhashResources& resources)
    : partitions_(kBucketPartitions, resources.budget, resources.space),
      writer_(&partitions_, resources.buffer_bytes(kBucketPartitions, 1)) {}

arrow::Status BucketPartitions::Add(const DocumentBucket& bucket) {
  return writer_.AppendRecord(bucket.bucket >> kBucketShift, bucket);
}

FollowerPartitions::FollowerPartitions(const MinhashResources& resources, uint64_t documents)
    : width_(documents / kFollowerPartitions + 1),
      partitions_(kFollowerPartitions, resources.budget, resources.space) {}

const std::string& StoredIds::Read(const Leader& leader, Known* known) {
  if (known->source == leader.source && known->number == leader.number()) return known->id;
  auto document = sets_->sets[leader.source].table->Read(leader.number());
  if (!document.ok() && status_.ok()) status_ = document.status();
  *known = {leader.source, leader.number(), document.ok() ? std::move(document->id) : std::string()};
  return known->id;
}

int StoredIds::Compare(const Leader& a, const Leader& b) {
  const int order = Read(a, known_.data()).compare(Read(b, known_.data() + 1));
  if (!status_.ok()) return 0;
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

namespace {

// One thread's part of FindFollowers, for one partition.
class BucketPass {
 public:
  using Emit = std::function<arrow::Status(const Follower&)>;
  using Write = std::function<arrow::Status(std::vector<DocumentBucket>)>;

  BucketPass(const DocumentSets& sets, const LeaderCounts& leaders, const DocumentBits* left_out, Emit emit,
             Write write)
      : sets_(sets),
        left_out_(left_out),
        ids_(&sets),
        leaders_(leaders.compared, ids_.order()),
        own_(leaders.indexed, ids_.order()),
        emit_(std::move(emit)),
        write_(std::move(write)) {
    for (uint64_t set = 0; set < sets.sets.size(); ++set) {
      if (sets.sets[set].index != nullptr) cursors_.emplace_back(set, DocumentIndex::Cursor(sets.sets[set].index));
    }
  }

  arrow::Status Run(SpillPartitions* buckets, size_t partition, int64_t most) {
    const auto key = [](const DocumentBucket& document) { return document.bucket; };
    const auto use = [&](std::span<DocumentBucket> documents) -> arrow::Status {
      SortByKey(documents, key);
      for (size_t begin = 0; begin < documents.size();) {
        size_t end = begin + 1;
        while (end < documents.size() && documents[end].bucket == documents[begin].bucket) ++end;
        ARROW_RETURN_NOT_OK(UseBucket(documents.subspan(begin, end - begin)));
        begin = end;
      }
      return Flush();
    };
    const auto use_equal = [&](SpillPartitions* of, size_t part) { return UseLargeBucket(of, part); };
    return ForEachRange<DocumentBucket>(buckets, partition, most, key, use, use_equal);
  }

 private:
  Leader OwnOf(const DocumentBucket& document) const { return {document.priority, sets_.own}; }

  bool IsLeftOut(const DocumentBucket& document) const {
    return left_out_ != nullptr && left_out_->Has(document.priority.number());
  }
  void Begin() {
    leaders_.Clear();
    own_.Clear();
  }
  void Look(std::span<const DocumentBucket> documents) {
    for (const DocumentBucket& document : documents) {
      if (IsLeftOut(document)) continue;
      leaders_.Add(OwnOf(document));
      own_.Add(OwnOf(document));
    }
    bucket_ = documents.front().bucket;
  }
  // After all of the bucket's documents have been looked at.
  arrow::Status LookElsewhere() {
    for (auto& [set, cursor] : cursors_) {
      ARROW_RETURN_NOT_OK(cursor.SeekTo(bucket_));
      for (const DocumentBucket* there = cursor.get(); there != nullptr && there->bucket == bucket_;
           there = cursor.get()) {
        leaders_.Add({there->priority, set});
        ARROW_RETURN_NOT_OK(cursor.Next());
      }
    }
    for (const Leader& leader : own_.leaders()) written_.push_back({bucket_, leader.priority});
    return arrow::Status::OK();
  }
  arrow::Status Follow(std::span<const DocumentBucket> documents) {
    for (const DocumentBucket& document : documents) {
      if (IsLeftOut(document)) continue;
      ARROW_RETURN_NOT_OK(leaders_.ForEachAbove(OwnOf(document), emit_));
    }
    return arrow::Status::OK();
  }

  arrow::Status UseBucket(std::span<const DocumentBucket> documents) {
    Begin();
    Look(documents);
    ARROW_RETURN_NOT_OK(LookElsewhere());
    return Follow(documents);
  }
  // One whose documents are not loaded at once.
  arrow::Status UseLargeBucket(SpillPartitions* of, size_t part) {
    const auto documents = [](std::span<const char> bytes) {
      return std::span(reinterpret_cast<const DocumentBucket*>(bytes.data()), bytes.size() / sizeof(DocumentBucket));
    };
    Begin();
    ARROW_RETURN_NOT_OK(of->ReadChunks(part, [&](std::span<const char> bytes) {
      Look(documents(bytes));
      return arrow::Status::OK();
    }));
    ARROW_RETURN_NOT_OK(LookElsewhere());
    ARROW_RETURN_NOT_OK(of->TakeChunks(part, [&](std::span<const char> bytes) { return Follow(documents(bytes)); }));
    return Flush();
  }
  arrow::Status Flush() {
    ARROW_RETURN_NOT_OK(ids_.status());
    if (written_.empty()) return arrow::Status::OK();
    return write_(std::exchange(written_, {}));
  }

  const DocumentSets& sets_;
  const DocumentBits* left_out_;
  StoredIds ids_;
  BucketLeaders leaders_;
  BucketLeaders own_;
  uint64_t bucket_ = 0;
  Emit emit_;
  Write write_;
  std::vector<std::pair<uint64_t, DocumentIndex::Cursor>> cursors_;
  std::vector<DocumentBucket> written_;
};

}  // namespace

arrow::Status FindFollowers(const MinhashResources& resources, const DocumentSets& sets, const LeaderCounts& leaders,
                            BucketPartitions* buckets, const BucketCallback& use, FollowerPartitions* followers,
                            DocumentBits* involved, const DocumentBits* left_out, const ShareCallback& on_progress) {
  using Written = std::vector<DocumentBucket>;
  OrderedResults<Written> results(resources.plan.results, [&use](const Written& written) -> arrow::Status {
    for (const DocumentBucket& bucket : written) ARROW_RETURN_NOT_OK(use(bucket));
    return arrow::Status::OK();
  });
  std::vector<SpillPartitions::Writer> writers;
  for (int i = 0; followers != nullptr && i < resources.threads; ++i) {
    writers.emplace_back(followers->partitions(), followers->buffer_bytes(resources));
  }
  const std::vector<PartitionItem> items = ItemsOf(*buckets->partitions());
  ARROW_RETURN_NOT_OK(OrderedFor(resources.threads, items, &results, on_progress, [&](size_t thread, size_t partition) {
    const auto emit = [&](const Follower& follower) -> arrow::Status {
      if (followers == nullptr) return arrow::Status::OK();
      if (involved != nullptr) {
        involved->Set(follower.number);
        if (follower.leader.source == sets.own) involved->Set(follower.leader.number());
      }
      return writers[thread].AppendRecord(followers->PartitionOf(follower.number), follower);
    };
    const auto write = [&](Written written) {
      const auto bytes = static_cast<int64_t>(written.size() * sizeof(DocumentBucket));
      return results.Add(partition, std::move(written), bytes);
    };
    return BucketPass(sets, leaders, left_out, emit, write)
        .Run(buckets->partitions(), partition, resources.plan.load / 2);
  }));
  for (SpillPartitions::Writer& writer : writers) ARROW_RETURN_NOT_OK(writer.Flush());
  return arrow::Status::OK();
}

arrow::Status FindDuplicates(const MinhashResources& resources, const DocumentSets& sets, FollowerPartitions* followers,
                             const DecideDuplicate& decide,
                             const std::function<arrow::Status(const std::vector<Duplicate>&)>& use,
                             const ShareCallback& on_progress) {
  using Found = std::vector<Duplicate>;
  OrderedResults<Found> results(resources.plan.results, use);
  SpillPartitions* const partitions = followers->partitions();
  const std::vector<PartitionItem> items = ItemsOf(*partitions);
  return OrderedFor(resources.threads, items, &results, on_progress, [&](size_t thread, size_t partition) {
    const auto decide_all = [&](std::span<Follower> loaded) -> arrow::Status {
      StoredIds ids(&sets);
      const std::span<const Follower> all = SortFollowers(loaded, ids.order());
      ARROW_RETURN_NOT_OK(ids.status());
      Found found;
      for (size_t begin = 0; begin < all.size();) {
        size_t end = begin + 1;
        while (end < all.size() && all[end].number == all[begin].number) ++end;
        ARROW_ASSIGN_OR_RAISE(const auto duplicate, decide(thread, all.subspan(begin, end - begin)));
        if (duplicate) found.push_back(*duplicate);
        begin = end;
      }
      const auto bytes = static_cast<int64_t>(found.size() * sizeof(Duplicate));
      return results.Add(partition, std::move(found), bytes);
    };
    // One document's leaders, a few in each of its buckets.
    const auto decide_one = [&](SpillPartitions* of, size_t part) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const Bytes bytes, of->Take(part));
      return decide_all(Records<Follower>(bytes));
    };
    return ForEachRange<Follower>(
        partitions, partition, resources.plan.load / 2, [](const Follower& follower) { return follower.number; },
        decide_all, decide_one);
  });
}

}  // namespace uzushio
