// Documents in the buckets of a partition to who follows whom, for engines that move the data between steps (Spark).
//
// Signatures become rows of partitions by SpreadBuckets; all rows of a partition go to one task:
//
//   number   int64    the document's place among all
//   high     int64    its priority (dedup/priority.h), without a number
//   low      int64
//   id       binary
//   buckets  binary   those of its buckets that are in the partition, 8 bytes each
//
// The task gives rows of two kinds:
//
//   kind     string   follower: a document, and one that stands above it in a bucket
//                     bucket: buckets with the documents that stand highest in them, for an index
//   number   int64    of the follower; or what parts of an index are in order of
//   source   int32    the leader's set
//   leader   int64    its number there
//   first    int64    of its priority, the first 40 bits
//   order    binary   the rest of its priority, 6 bytes, and its id, where ids part ties: leaders are in order of set
//                     (decided or not), first, order, source and leader
//   id       binary   its id
//   data     binary   of the kind bucket: DocumentBucket (dedup/priority.h), in order
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/bounded_producer.h"
#include "dedup/document_index.h"
#include "stages/minhash/followers.h"
#include "storage/temporary_folder.h"

namespace uzushio {

// `documents` has the columns number, high, low, id and buckets, of any others and of all buckets. A batch for each of
// the 2^bits partitions, null where it gets nothing: buckets go by their highest bits.
arrow::Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> SpreadBuckets(const arrow::RecordBatch& documents,
                                                                              int bits);

struct BucketTaskConfig {
  std::vector<std::shared_ptr<const DocumentIndex>> sets;  // in order (DocumentSets); null: this run's
  uint64_t decided = 0;
  bool by_ids = true;
  LeaderCounts leaders;
  bool index_only = false;    // no followers
  int64_t memory = 0;         // bytes
  std::filesystem::path tmp;  // folder for temporary data
};

class BucketTask {
 public:
  static arrow::Result<std::unique_ptr<BucketTask>> Make(BucketTaskConfig config);
  ~BucketTask();

  // Rows of the partition. Numbers increase.
  arrow::Status Add(const arrow::RecordBatch& rows);
  // What the task gives, some MiB at a time, after the last row was added; null at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();

 private:
  class Rows;
  using Batch = std::shared_ptr<arrow::RecordBatch>;

  explicit BucketTask(BucketTaskConfig config);
  arrow::Status Work(const BoundedProducer<Batch>::Push& push);
  arrow::Result<uint64_t> NumberOf(uint64_t local) const;
  arrow::Status AddLeaders(std::span<const Follower> followers, Rows* rows) const;

  BucketTaskConfig config_;
  MinHashPlan plan_;
  MemoryBudget budget_;
  SpillSpace space_;
  MinhashResources resources_;
  std::unique_ptr<TemporaryFolder> folder_;
  std::unique_ptr<DocumentIndexWriter> writer_;  // numbers stand where an index has sketches
  std::unique_ptr<DocumentTable> table_;
  std::unique_ptr<BucketPartitions> buckets_;
  DocumentSets sets_;
  uint64_t documents_ = 0;
  int64_t last_ = -1;  // number
  std::unique_ptr<BoundedProducer<Batch>> made_;
};

}  // namespace uzushio
