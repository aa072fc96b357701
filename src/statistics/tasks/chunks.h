// Records of partitions as chunks, in which an engine moves them from task to task.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "storage/spill.h"

namespace uzushio {

// What the records are; their names in chunks are in chunks.cc.
enum RecordKind : uint8_t {
  kCounted,
  kStored,
  kHeads,
  kEntries,
  kPairs,
  kAside,
  kKept,
  kTails,
  kAttached,
  kNear,
  kNeighbours,
  kTaken,
  kShares,
  kRows,
  kRecordKinds
};

// At about so many bytes a chunk ends.
constexpr size_t kChunkBytes = size_t{512} << 10;

std::shared_ptr<arrow::Schema> ChunksSchema();

// Where a task's partitions are kept.
struct ChunkSpace {
  size_t partitions = 0;
  MemoryBudget* budget = nullptr;
  SpillSpace* space = nullptr;
  size_t buffer_bytes = 0;  // of a writer

  std::unique_ptr<SpillPartitions> Make() const { return std::make_unique<SpillPartitions>(partitions, budget, space); }
};

// What has come: partitions of the kinds that a step takes.
class ChunkInputs {
 public:
  ChunkInputs(const ChunkSpace& space, std::span<const RecordKind> kinds);

  // Errors: records of another kind, or of a partition that there is not.
  arrow::Status Add(const arrow::RecordBatch& batch);
  SpillPartitions* operator[](RecordKind kind) { return of_[kind].get(); }
  // Whether there are records of a partition.
  bool Has(size_t partition) const;

 private:
  const size_t partitions_;
  std::array<std::unique_ptr<SpillPartitions>, kRecordKinds> of_;
};

// What a step gives.
class ChunkOutputs {
 public:
  // `places`: of each partition, the number that the engine spreads it by.
  ChunkOutputs(const ChunkSpace& space, std::vector<int32_t> places) : space_(space), places_(std::move(places)) {}

  SpillPartitions* Of(RecordKind kind);
  SpillPartitions::Writer* To(RecordKind kind);  // through a buffer
  // Writes what is in buffers; nothing may be added after it.
  arrow::Status Flush();
  // Takes the next chunks, some MiB; null at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();

 private:
  arrow::Result<bool> LoadPartition();

  const ChunkSpace space_;
  const std::vector<int32_t> places_;
  std::array<std::unique_ptr<SpillPartitions>, kRecordKinds> of_;
  std::array<std::optional<SpillPartitions::Writer>, kRecordKinds> writers_;
  size_t kind_ = 0;  // of the chunks that wait
  size_t partition_ = 0;
  size_t next_partition_ = 0;
  std::deque<std::vector<char>> chunks_;
};

}  // namespace uzushio
