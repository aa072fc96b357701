#include "statistics/tasks/steps.h"

namespace uzushio {

TaskContext::TaskContext(StepConfig given, std::span<const RecordKind> takes,
                         std::shared_ptr<arrow::Schema> table_schema)
    : config(std::move(given)),
      partitioning(config.partition_bits),
      memory(PlanTask(config.memory)),
      budget(memory.partitions),
      space(config.tmp),
      chunks{partitioning.count(), &budget, &space,
             NearDuplicateResources{1, memory, &budget, &space}.buffer_bytes(partitioning.count(), 4)},
      in(chunks, takes),
      out(chunks, config.places),
      table(std::move(table_schema)) {}

arrow::Result<PartitionView> GatherParagraphs(TaskContext* task, size_t partition) {
  const auto hash = [](const std::vector<char>& chunk) {
    return reinterpret_cast<const StoredHeader*>(chunk.data())->hash;
  };
  std::vector<std::vector<char>> chunks;
  size_t bytes = 0;
  ARROW_RETURN_NOT_OK(task->in[kStored]->TakeChunks(partition, [&](std::span<const char> chunk) {
    if (!chunk.empty()) chunks.emplace_back(chunk.begin(), chunk.end());
    bytes += chunk.size();
    return arrow::Status::OK();
  }));
  std::ranges::sort(chunks, {}, hash);
  Bytes all = Bytes::Uninitialised(bytes);
  char* at = all.data.get();
  for (std::vector<char>& chunk : chunks) {
    at = std::ranges::copy(chunk, at).out;
    std::vector<char>().swap(chunk);
  }
  return PartitionView(std::move(all));
}

arrow::Result<std::pair<Bytes, std::span<const HashPair>>> TakeNearPairs(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(Bytes bytes, task->in[kNear]->Take(partition));
  const std::span<HashPair> pairs = Records<HashPair>(bytes);
  std::ranges::sort(pairs);
  task->Count("near_pairs", static_cast<int64_t>(pairs.size()));
  return std::pair(std::move(bytes), std::span<const HashPair>(pairs));
}

arrow::Result<std::pair<Bytes, std::span<const StatisticsRow>>> TakeRows(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(Bytes bytes, task->in[kRows]->Take(partition));
  const std::span<StatisticsRow> rows = Records<StatisticsRow>(bytes);
  std::ranges::sort(rows, {}, &StatisticsRow::hash);
  return std::pair(std::move(bytes), std::span<const StatisticsRow>(rows));
}

}  // namespace uzushio
