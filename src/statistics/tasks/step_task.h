// The steps of `stats` and `merge` as tasks, for an engine that moves data between machines (Spark).
//
// A task takes chunks of partitions and gives chunks of partitions: rows of
//
//   kind       string   what the records are, as "pairs"
//   partition  int32    of the 2^bits partitions
//   place      int32    a number that the engine spreads the partition by, given by `places`
//   data       binary   whole records, some hundred KiB
//
// All chunks of a partition must come to one task of the next step; in what order, and with which other partitions,
// does not matter. The steps, what they take and what they give (paragraph_steps.h says what they do):
//
//   count         texts (AddTexts), or statistics (AddStatistics)   counted
//   store         counted                                           stored
//   entries       stored                                            entries
//   pair          entries                                           pairs, aside, kept, neighbours
//   keep          aside                                             kept, neighbours
//   pair-large    kept                                              pairs
//   tails         entries (of SimHash)                              tails
//   pair-ranks    entries, tails                                    pairs
//   attach        pairs, stored                                     attached: a first paragraph and its seconds
//   compare       attached, stored                                  near, neighbours: counts of near-duplicates
//   pivot         near of all partitions                            taken
//   components    near of all partitions                            taken
//   take          rows of `pivot` and `hash` (AddTaken)             taken
//   heads         stored                                            heads: paragraphs without their texts
//   share         taken, heads, neighbours                          shares
//   sum           shares                                            rows
//
// and to tables, in order of hashes within a partition:
//
//   list-pairs    near                                              hash, otherHash
//   list-rows     rows                                              as StatisticsSchema
//   list-texts    stored                                            as IntermediateSchema
//   list-groups   rows, stored                                      groupFreq, reprHash, nearFreq, exactFreq, hash,
//   text
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "statistics/counting.h"
#include "statistics/paragraph_steps.h"

namespace uzushio {

struct StepConfig {
  std::string step;
  int partition_bits = 6;
  std::vector<int32_t> places;  // of each partition
  NearDuplicateOptions near_duplicates;
  bool intermediate = false;                      // rows seen once are kept
  DocumentLimits limits;                          // of `count`
  int64_t memory = 0;                             // of the task, in bytes: kLeastTaskMemory or more
  std::filesystem::path tmp;                      // folder for temporary data
  std::map<int32_t, std::vector<int32_t>> tails;  // of `tails`: which partitions need a partition's last ranks
};

class StepTask {
 public:
  // Errors: an unknown step, too little memory.
  static arrow::Result<std::unique_ptr<StepTask>> Make(StepConfig config);
  ~StepTask();

  // Input, as the step takes it: chunks of partitions;
  arrow::Status Add(const arrow::RecordBatch& batch);
  // documents' texts, one, or those of a column (datasets/columns.h; a null is an empty text);
  arrow::Status AddText(std::string_view text);
  arrow::Status AddTexts(const arrow::RecordBatch& batch, const std::string& column);
  // rows of statistics or, with a column `givenReprHash`, of intermediate ones;
  arrow::Status AddStatistics(const arrow::RecordBatch& batch);
  // columns `pivot` and `hash`, int64.
  arrow::Status AddTaken(const arrow::RecordBatch& batch);

  // The columns of the batches that it gives.
  std::shared_ptr<arrow::Schema> schema() const;
  // After all input: batches of some MiB, then null.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();
  // What was counted on the way, complete after the last batch: sums, but for `largest_group`.
  nlohmann::json counts() const;

 private:
  class Work;
  explicit StepTask(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace uzushio
