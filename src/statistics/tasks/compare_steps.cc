// Which pairs are near-duplicates: first paragraphs travel to their seconds.
#include <utility>

#include "dedup/comparer.h"
#include "statistics/tasks/steps.h"

namespace uzushio {
namespace {

PartitionWork MakeAttach(TaskContext* task) {
  return [task, record = std::string()](size_t partition) mutable -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const PartitionView paragraphs, GatherParagraphs(task, partition));
    const auto attach = [&](std::span<const CandidatePair> pairs) {
      task->Count("candidate_pairs", static_cast<int64_t>(pairs.size()));
      return AttachFirsts(paragraphs, pairs, [](size_t second) { return second; }, &record, task->out.To(kAttached));
    };
    return ForEachDistinctPairs(task->in[kPairs], partition, task->memory.load, attach);
  };
}

arrow::Status GiveNeighbours(TaskContext* task, uint64_t paragraph, uint64_t sum) {
  if (sum == 0) return arrow::Status::OK();
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(sum, UINT32_MAX));
  return task->out.To(kNeighbours)->AppendRecord(PartitionOf(paragraph), NeighbourShare{paragraph, count, 0});
}

arrow::Status Compare(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(const PartitionView paragraphs, GatherParagraphs(task, partition));
  RowComparer comparer;
  std::vector<uint64_t> sums(paragraphs.size());  // of the seconds' near-duplicates
  uint64_t sum = 0;                               // of the first's
  const auto paragraph = [&paragraphs](uint64_t number) -> const StoredHeader& { return paragraphs[LocalOf(number)]; };
  const auto add_near = [&](uint64_t /*first*/, const StoredHeader& first, uint64_t number) {
    const StoredHeader& second = paragraph(number);
    sum += second.count;
    sums[LocalOf(number)] += first.count;
    return task->out.To(kNear)->AppendRecord(task->partitioning(first.hash), HashPair{first.hash, second.hash});
  };
  const auto end_first = [&](uint64_t first) { return GiveNeighbours(task, first, std::exchange(sum, 0)); };
  ARROW_RETURN_NOT_OK(task->in[kAttached]->TakeChunks(partition, [&](std::span<const char> bytes) {
    return comparer.CompareAttached(bytes, paragraph, add_near, end_first);
  }));
  for (size_t local = 0; local < sums.size(); ++local) {
    ARROW_RETURN_NOT_OK(GiveNeighbours(task, ParagraphNumber(partition, local), sums[local]));
  }
  return arrow::Status::OK();
}

}  // namespace

std::vector<StepDeclaration> CompareSteps() {
  return {{"attach", {kPairs, kStored}, MakeAttach, nullptr},
          {"compare", {kAttached, kStored}, Stateless<Compare>, nullptr}};
}

}  // namespace uzushio
