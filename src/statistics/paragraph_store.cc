#include "statistics/paragraph_store.h"

#include "base/memory_error.h"

namespace uzushio {

ParagraphStore::ParagraphStore(int64_t counted_bytes, const std::string& tmp, int threads, const StatisticsPlan& memory)
    : budget(memory.partitions),
      space(tmp),
      resources{threads, memory, &budget, &space},
      partitioning(PartitionBits(counted_bytes, memory)),
      paragraphs(partitioning.count(), &budget, &space),
      buffer_bytes(resources.buffer_bytes(partitioning.count(), 1)) {}

int64_t EstimateCountedBytes(const std::vector<InputFile>& inputs) {
  constexpr int64_t kCompression = 6;  // texts of Parquet and compressed files are about so many times their size
  int64_t bytes = 0;
  for (const InputFile& input : inputs) {
    const bool plain = input.name.ends_with(".txt") || input.name.ends_with(".json") || input.name.ends_with(".jsonl");
    bytes += input.size * (plain ? 1 : kCompression);
  }
  return bytes / 3 * 4;
}

arrow::Status CheckMemory(int64_t counted_bytes, int64_t memory, int threads) {
  const auto most = [threads](int64_t bytes) { return MostCountedBytes(PlanStatistics(bytes, threads)); };
  if (counted_bytes <= most(memory)) return arrow::Status::OK();
  int64_t least = memory;
  while (most(least) < counted_bytes) least += 64 * kMiB;
  return MemoryError("--memory ", memory >> 20, "MiB: the inputs hold about ", counted_bytes >> 30,
                     "GiB of paragraphs, for which ", least >> 20,
                     "MiB are needed at least; or count parts of them, and merge");
}

}  // namespace uzushio
