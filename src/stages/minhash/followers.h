// From documents in buckets to the documents that share one with a document that stands higher; out of core.
#pragma once

#include <arrow/result.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_plan.h"
#include "dedup/document_index.h"
#include "dedup/priority.h"
#include "storage/spill.h"

namespace uzushio {

// What the steps work with.
struct MinhashResources {
  MinHashPlan plan;
  int threads = 1;
  MemoryBudget* budget = nullptr;
  SpillSpace* space = nullptr;

  // Of one of `writers` to `partitions`.
  size_t buffer_bytes(size_t partitions, size_t writers) const;
};

// The sets of documents that are compared. Those whose documents always stay come first; then this run's among those
// whose documents are its equals, in order of their identities.
struct DocumentSets {
  struct Set {
    const DocumentIndex* index = nullptr;  // null: this run's
    std::string identity;
    const DocumentTable* table = nullptr;
    const IndexedTexts* texts = nullptr;  // null: none are kept
  };
  std::vector<Set> sets;
  uint64_t decided = 0;  // of them, the first
  uint64_t own = 0;      // the place of this run's
  bool by_ids = true;    // whether ids part ties
};

// Ids that are read when they are asked for. One thread's.
class StoredIds final : public LeaderIds {
 public:
  explicit StoredIds(const DocumentSets* sets) : sets_(sets) {}
  int Compare(const Leader& a, const Leader& b) override;
  // What went wrong, if anything did; ids are all equal from then on.
  const arrow::Status& status() const { return status_; }
  LeaderOrder order() { return {sets_->decided, sets_->by_ids ? this : nullptr}; }

 private:
  struct Known {
    uint64_t source = UINT64_MAX;
    uint64_t number = 0;
    std::string id;
  };
  const std::string& Read(const Leader& leader, Known* known);

  const DocumentSets* sets_;
  std::array<Known, 2> known_;  // of the first and of the second that was asked for last
  arrow::Status status_;
};

// Documents in buckets, by the highest bits of these.
class BucketPartitions {
 public:
  explicit BucketPartitions(const MinhashResources& resources);
  // By one thread, before Finish.
  arrow::Status Add(const DocumentBucket& bucket);
  arrow::Status Finish() { return writer_.Flush(); }
  SpillPartitions* partitions() { return &partitions_; }

 private:
  SpillPartitions partitions_;
  SpillPartitions::Writer writer_;
};

// A bit for each document; may be set by several threads.
class DocumentBits {
 public:
  explicit DocumentBits(uint64_t documents) : words_(documents / 64 + 1) {}
  void Set(uint64_t number) { words_[number / 64].fetch_or(uint64_t{1} << (number % 64), std::memory_order_relaxed); }
  bool Has(uint64_t number) const {
    return (words_[number / 64].load(std::memory_order_relaxed) >> (number % 64) & 1) != 0;
  }

 private:
  std::vector<std::atomic<uint64_t>> words_;
};

// Followers, in partitions of as many documents each.
class FollowerPartitions {
 public:
  FollowerPartitions(const MinhashResources& resources, uint64_t documents);
  size_t PartitionOf(uint64_t number) const { return number / width_; }
  size_t buffer_bytes(const MinhashResources& resources) const {
    return resources.buffer_bytes(partitions_.size(), static_cast<size_t>(resources.threads));
  }
  SpillPartitions* partitions() { return &partitions_; }

 private:
  uint64_t width_;
  SpillPartitions partitions_;
};

using ShareCallback = std::function<void(double)>;
using BucketCallback = std::function<arrow::Status(const DocumentBucket&)>;

// How many documents of a bucket matter: those that stand highest.
struct LeaderCounts {
  size_t compared = 1;  // with those that follow
  size_t indexed = 1;   // of this run's, in its index
};

// Goes through all buckets: calls `use` with each and those of this run's documents that stand highest in it, in order,
// and puts those who follow to `followers`, each with as many of the leaders as `leaders` says. `followers` may be
// null. `involved`, if not null, gets a bit for each of this run's followers and leaders. This run's documents with a
// bit in `left_out`, if not null, are in no bucket.
arrow::Status FindFollowers(const MinhashResources& resources, const DocumentSets& sets, const LeaderCounts& leaders,
                            BucketPartitions* buckets, const BucketCallback& use, FollowerPartitions* followers,
                            DocumentBits* involved, const DocumentBits* left_out, const ShareCallback& on_progress);

// A document that goes. Written to disk as it is.
struct Duplicate {
  uint64_t number = 0;
  Leader leader;
  double similarity = 0;
};
static_assert(sizeof(Duplicate) == 40);

// Decides about one document by its leaders, of which there is one or more, in order of priority: whether it is a
// duplicate, of which and how similar. Called by several threads, each with its number.
using DecideDuplicate =
    std::function<arrow::Result<std::optional<Duplicate>>(size_t thread, std::span<const Follower> leaders)>;

// Has each follower decided about, and `use` called with the duplicates in order of numbers, some at a time.
arrow::Status FindDuplicates(const MinhashResources& resources, const DocumentSets& sets, FollowerPartitions* followers,
                             const DecideDuplicate& decide,
                             const std::function<arrow::Status(const std::vector<Duplicate>&)>& use,
                             const ShareCallback& on_progress);

}  // namespace uzushio
