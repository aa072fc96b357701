// Tables in order of hashes.
#include "statistics/folder.h"
#include "statistics/tasks/steps.h"

namespace uzushio {
namespace {

std::shared_ptr<arrow::Schema> PairsSchema() {
  return arrow::schema({arrow::field("hash", arrow::int64(), false), arrow::field("otherHash", arrow::int64(), false)});
}

std::shared_ptr<arrow::Schema> GroupsSchema() {
  return arrow::schema(
      {arrow::field("groupFreq", arrow::int32(), false), arrow::field("reprHash", arrow::int64(), false),
       arrow::field("nearFreq", arrow::int32(), false), arrow::field("exactFreq", arrow::int32(), false),
       arrow::field("hash", arrow::int64(), false), arrow::field("text", arrow::utf8(), false)});
}

arrow::Status ListPairs(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(const auto near, TakeNearPairs(task, partition));
  for (const HashPair& pair : near.second) ARROW_RETURN_NOT_OK(task->table.Add({pair.first, pair.second}));
  return arrow::Status::OK();
}

arrow::Status ListRows(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(const auto taken, TakeRows(task, partition));
  const std::span<const StatisticsRow> rows = taken.second;
  for (const StatisticsRow& row : rows) {
    ARROW_RETURN_NOT_OK(task->table.Add({row.hash, row.repr_hash, row.exact_freq, row.near_freq}));
  }
  task->Count("rows", static_cast<int64_t>(rows.size()));
  task->Count("index_entries", std::ranges::count_if(rows, [](const StatisticsRow& row) { return row.near_freq > 1; }));
  return arrow::Status::OK();
}

arrow::Status ListTexts(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(const PartitionView paragraphs, GatherParagraphs(task, partition));
  for (size_t i = 0; i < paragraphs.size(); ++i) {
    const StoredHeader& paragraph = paragraphs[i];
    const auto count = std::min<int64_t>(paragraph.count, INT32_MAX);
    ARROW_RETURN_NOT_OK(task->table.Add(
        {paragraph.hash, paragraph.given_pivot, count, GivenNearFreq(paragraph.count, paragraph.given_near)},
        paragraph.text()));
  }
  return arrow::Status::OK();
}

// Groups are told with their texts.
arrow::Status ListGroups(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(const PartitionView paragraphs, GatherParagraphs(task, partition));
  ARROW_ASSIGN_OR_RAISE(const auto rows, TakeRows(task, partition));
  size_t i = 0;
  for (const StatisticsRow& row : rows.second) {
    if (row.near_freq <= 1) continue;
    while (paragraphs[i].hash != row.hash) ++i;
    ARROW_RETURN_NOT_OK(task->table.Add({row.group_freq, row.repr_hash, row.near_freq, row.exact_freq, row.hash},
                                        paragraphs[i].text()));
  }
  return arrow::Status::OK();
}

}  // namespace

std::vector<StepDeclaration> TableSteps() {
  return {{"list-pairs", {kNear}, Stateless<ListPairs>, PairsSchema()},
          {"list-rows", {kRows}, Stateless<ListRows>, StatisticsSchema()},
          {"list-texts", {kStored}, Stateless<ListTexts>, IntermediateSchema()},
          {"list-groups", {kRows, kStored}, Stateless<ListGroups>, GroupsSchema()}};
}

}  // namespace uzushio
