// From counted paragraphs to statistics: the part that `stats` and `merge` share.
//
// The result depends on the set of counted paragraphs alone: not on their order, the number of threads, the memory or
// the partitions. Steps, each over partitions that lie in memory or on disk:
//
//   1. counts of a hash are added up; paragraphs get numbers in order of their hashes, which is the order of pivots;
//   2. each goes into its buckets (dedup/candidates.h), by hash of the bucket;
//   3. the pairs of each bucket are collected by their first paragraph (bucket_pairs.h);
//   4. repeats are dropped, and all pairs are compared (compare_pairs.h);
//   5. pivots are chosen among near-duplicates, in order: a paragraph that no earlier pivot took is a pivot, and takes
//      its near-duplicates that are free (Ailon, Charikar, Newman 2008, with the hash as priority);
//   6. frequencies are added up.
//
// A paragraph's `nearFreq` is that of its own neighbourhood: how often it or a near-duplicate of it occurs. Being near
// is not transitive, so that its group's sum is another number. That sum stands in, where it is the greater, for
// paragraphs of large buckets (dedup/candidates.h), whose candidates are thinned out. Of a paragraph that came with
// statistics, but without its text, the neighbours are those that the statistics tell of: what several of them tell is
// added up, so that the order of merging makes no difference.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/memory_plan.h"
#include "statistics/counted_paragraphs.h"
#include "storage/spill.h"

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
  int32_t near_freq = 0;   // of the paragraph and its near-duplicates
  int32_t group_freq = 0;  // of its group
  int32_t unused = 0;
  bool operator==(const StatisticsRow&) const = default;
};

struct NearDuplicateCounts {
  int64_t paragraphs = 0;  // distinct
  int64_t text_bytes = 0;  // of the distinct ones
  int64_t buckets_entries = 0;
  int64_t candidates = 0;  // pairs without repeats, all of which are compared
  int64_t near = 0;        // pairs found to be near-duplicates
  int64_t groups = 0;      // of two and more
  int64_t largest = 0;     // distinct paragraphs in the largest group
};

nlohmann::json ToJson(const NearDuplicateCounts& counts);

struct ParagraphHead;

// Where the results go: Start, then pairs, then rows, each in order of hashes. One call at a time.
class NearDuplicateSink {
 public:
  virtual ~NearDuplicateSink() = default;
  virtual arrow::Status Start() = 0;
  // A pair of near-duplicates, first < second. Only when wants_pairs().
  virtual bool wants_pairs() const { return false; }
  virtual arrow::Status Pair(int64_t first, int64_t second);
  // One row of each distinct paragraph. `text` is empty unless wants_texts(), and where it is not known.
  virtual bool wants_texts() const { return false; }
  virtual arrow::Status Row(const StatisticsRow& row, const ParagraphHead& paragraph, std::string_view text) = 0;
};

struct NearDuplicateResources {
  int threads = 1;
  StatisticsPlan memory;
  MemoryBudget* budget = nullptr;  // of memory.partitions
  SpillSpace* space = nullptr;

  // What a writer may buffer for a partition, where a thread has so many writers to so many partitions each.
  size_t buffer_bytes(size_t partitions, int writers) const;
};

// The partitions for so many bytes of counted paragraphs, as bits: so many that a thread can load one.
int PartitionBits(int64_t counted_bytes, const StatisticsPlan& memory);
// The bytes of counted paragraphs that a search with this memory can go through.
int64_t MostCountedBytes(const StatisticsPlan& memory);

// How far a search is.
enum class SearchStep { kSignatures, kCandidates, kComparisons, kGroups, kFrequencies, kWriting };
inline constexpr size_t kSearchSteps = 6;
struct SearchProgress {
  SearchStep step = SearchStep::kSignatures;
  size_t done = 0;  // parts of the step
  size_t all = 1;
  // Of the whole search.
  double share() const {
    return (static_cast<double>(step) + static_cast<double>(done) / static_cast<double>(all)) / kSearchSteps;
  }
};
const char* NameOf(SearchStep step);
using SearchProgressCallback = std::function<void(const SearchProgress&)>;

// Runs all of it. `paragraphs` is used up: it is what was counted, in partitions by `partitioning`.
arrow::Result<NearDuplicateCounts> FindNearDuplicates(SpillPartitions* paragraphs, const HashPartitioning& partitioning,
                                                      const NearDuplicateOptions& options,
                                                      const NearDuplicateResources& resources, NearDuplicateSink* sink,
                                                      const SearchProgressCallback& on_progress);

}  // namespace uzushio
