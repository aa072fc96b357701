// From counted paragraphs to statistics: the part that `stats` and `merge` share.
//
// The result depends on the set of counted paragraphs alone: not on their order, the number of threads, the memory or
// the partitions. Steps, each over partitions that lie in memory or on disk:
//
//   1. counts of a hash are added up; paragraphs get numbers in order of their hashes, which is the order of pivots;
//   2. each goes into its buckets (dedup/candidates.h), by hash of the bucket;
//   3. the pairs of each bucket are collected by their first paragraph, and repeats dropped;
//   4. pairs are compared in order, and pivots chosen on the way: a paragraph that no earlier pivot took is a pivot and
//      takes its near-duplicates that are free (Ailon, Charikar, Newman 2008, with the hash as priority). Pairs whose
//      first is taken, or whose second is, need no comparison;
//   5. counts are added up by group.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/paragraph_counts.h"
#include "io/spill.h"

namespace uzushio {

enum class CandidateMethod { kBuckets, kSimHash };
enum class GroupMethod { kPivot, kComponents };

struct NearDuplicateOptions {
  CandidateMethod candidates = CandidateMethod::kBuckets;
  int rotations = 5;  // of the SimHash signatures
  int window = 64;    // ranks, of SimHash
  GroupMethod groups = GroupMethod::kPivot;
};

// A row of statistics.
struct StatisticsRow {
  int64_t hash = 0;
  int64_t repr_hash = 0;
  int32_t exact_freq = 0;  // frequencies are at most INT32_MAX
  int32_t near_freq = 0;
  bool operator==(const StatisticsRow&) const = default;
};

struct NearDuplicateCounts {
  int64_t paragraphs = 0;  // distinct
  int64_t text_bytes = 0;  // of the distinct ones
  int64_t buckets_entries = 0;
  int64_t candidates = 0;  // pairs without repeats
  int64_t compared = 0;
  int64_t near = 0;     // pairs found to be near-duplicates
  int64_t groups = 0;   // of two and more
  int64_t largest = 0;  // distinct paragraphs in the largest group
};

// Where the results go. Calls come in order of hashes, one at a time.
class NearDuplicateSink {
 public:
  virtual ~NearDuplicateSink() = default;
  // Before the rows.
  virtual arrow::Status Start() = 0;
  // One row of each distinct paragraph. `text` is empty where it is not known. `given_repr` is the least pivot given by
  // other statistics, or the hash itself.
  virtual arrow::Status Row(const StatisticsRow& row, std::string_view text, int64_t given_repr) = 0;
  // A pair of near-duplicates, first < second. Only when wants_pairs(); after the rows.
  virtual bool wants_pairs() const { return false; }
  virtual arrow::Status Pair(int64_t first, int64_t second);
};

struct NearDuplicateResources {
  int threads = 1;
  int64_t memory = 0;
  MemoryBudget* budget = nullptr;
  SpillSpace* space = nullptr;
};

// The number of partitions, as bits, for an estimate of the text's bytes.
int PartitionBits(int64_t text_bytes, int64_t memory, int threads);
// The bytes that a writer may buffer for a partition.
size_t PartitionBufferBytes(int64_t memory, int threads, size_t partitions);

// Runs all of it. `paragraphs` is used up. `on_step` is called with what is done, and how far.
arrow::Result<NearDuplicateCounts> FindNearDuplicates(SpillPartitions* paragraphs, const HashPartitioning& partitioning,
                                                      const NearDuplicateOptions& options,
                                                      const NearDuplicateResources& resources, NearDuplicateSink* sink,
                                                      const std::function<void(const char*, size_t, size_t)>& on_step);

}  // namespace uzushio
