// The steps of a task: what each does with a partition. step_task.h says what they take and give.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "statistics/paragraph_steps.h"
#include "statistics/tasks/chunks.h"
#include "statistics/tasks/step_task.h"
#include "statistics/tasks/table_batches.h"

namespace uzushio {

// What a step works with.
struct TaskContext {
  TaskContext(StepConfig given, std::span<const RecordKind> takes, std::shared_ptr<arrow::Schema> table_schema);

  void Count(const char* name, int64_t number) { counts[name] = counts.value(name, int64_t{0}) + number; }
  void CountMost(const char* name, int64_t number) { counts[name] = std::max(counts.value(name, int64_t{0}), number); }

  const StepConfig config;
  const HashPartitioning partitioning;
  const StatisticsPlan memory;
  MemoryBudget budget;
  SpillSpace space;
  const ChunkSpace chunks;
  ChunkInputs in;
  ChunkOutputs out;
  TableBatches table;
  nlohmann::json counts = nlohmann::json::object();
  std::function<arrow::Status()> at_end;  // what is left to do after the last partition, or nothing
};

// The paragraphs of a partition, from chunks in any order.
arrow::Result<PartitionView> GatherParagraphs(TaskContext* task, size_t partition);
// Its pairs of near-duplicates in order, and what holds them; they are counted.
arrow::Result<std::pair<Bytes, std::span<const HashPair>>> TakeNearPairs(TaskContext* task, size_t partition);
// Its rows in order of hashes, and what holds them.
arrow::Result<std::pair<Bytes, std::span<const StatisticsRow>>> TakeRows(TaskContext* task, size_t partition);

// Called with the partitions that have come, in ascending order.
using PartitionWork = std::function<arrow::Status(size_t partition)>;

// Of a step that keeps nothing from one partition to the next.
template <arrow::Status (*kWork)(TaskContext*, size_t)>
PartitionWork Stateless(TaskContext* task) {
  return [task](size_t partition) { return kWork(task, partition); };
}

struct StepDeclaration {
  std::string_view name;
  std::vector<RecordKind> takes;                  // nothing: no chunks
  PartitionWork (*make)(TaskContext*) = nullptr;  // null: all is done as the input comes
  std::shared_ptr<arrow::Schema> table;           // of a step that gives a table; null: it gives chunks
};

std::vector<StepDeclaration> StoreSteps();    // count, store, heads, entries
std::vector<StepDeclaration> PairSteps();     // pair, keep, pair-large, tails, pair-ranks
std::vector<StepDeclaration> CompareSteps();  // attach, compare
std::vector<StepDeclaration> GroupSteps();    // pivot, components, take, share, sum
std::vector<StepDeclaration> TableSteps();    // list-pairs, list-rows, list-texts, list-groups

}  // namespace uzushio
