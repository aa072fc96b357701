// The paragraphs that a run counts, and what work on them may take.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/memory_plan.h"
#include "statistics/counted_paragraphs.h"
#include "statistics/search.h"
#include "storage/inputs.h"
#include "storage/spill.h"

namespace uzushio {

struct ParagraphStore {
  // For so many bytes of counted paragraphs, roughly. Temporary data goes to the folder `tmp`.
  ParagraphStore(int64_t counted_bytes, const std::string& tmp, int threads, const StatisticsPlan& memory);

  MemoryBudget budget;
  SpillSpace space;
  NearDuplicateResources resources;
  HashPartitioning partitioning;
  SpillPartitions paragraphs;
  size_t buffer_bytes;  // of a thread for a partition
};

// The bytes of counted paragraphs in the inputs, roughly: their texts, and a third for what is kept of each.
int64_t EstimateCountedBytes(const std::vector<InputFile>& inputs);

// Whether this memory, in bytes, suffices for so many bytes of counted paragraphs. The error says how much would.
arrow::Status CheckMemory(int64_t counted_bytes, int64_t memory, int threads);

}  // namespace uzushio
