// The distinct paragraphs of a search for near-duplicates, by partition, in memory or on disk.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <span>
#include <vector>

#include "statistics/paragraph_steps.h"
#include "storage/spill.h"

namespace uzushio {

class ParagraphPartitions {
 public:
  ParagraphPartitions(size_t partitions, MemoryBudget* budget, SpillSpace* space)
      : texts_(partitions, budget, space), heads_(partitions, budget, space), sizes_(partitions) {}

  // All paragraphs of a partition, in order of hashes: StoredHeader and text each. Partitions may be put in by several
  // threads.
  arrow::Status Put(size_t partition, std::span<const char> stored);

  size_t partitions() const { return sizes_.size(); }
  // Paragraphs in a partition, and in all.
  size_t size(size_t partition) const { return sizes_[partition]; }
  int64_t size() const;
  // The bytes of memory that Load takes for a partition.
  int64_t loaded_bytes(size_t partition) const {
    return texts_.bytes(partition) + static_cast<int64_t>(sizes_[partition] * sizeof(uint32_t));
  }
  // Whether all texts lie in memory: Load does not copy them then.
  bool in_memory() const;

  // With their texts. Valid as long as the table.
  arrow::Result<PartitionView> Load(size_t partition) const;
  // Without.
  arrow::Result<Bytes> Heads(size_t partition) const { return heads_.Read(partition); }

 private:
  SpillPartitions texts_;
  SpillPartitions heads_;
  std::vector<size_t> sizes_;
};

}  // namespace uzushio
