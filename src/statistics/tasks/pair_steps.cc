// Pairs of what is in a bucket, or near by rank.
#include <algorithm>

#include "statistics/bucket_pairs.h"
#include "statistics/tasks/steps.h"

namespace uzushio {
namespace {

PairTargets Targets(TaskContext* task) {
  ChunkOutputs& out = task->out;
  return {task->partitioning.count(), out.To(kPairs), out.To(kAside), out.To(kKept), out.To(kNeighbours)};
}

arrow::Status Pair(TaskContext* task, size_t partition) {
  return PairSmallBuckets(task->in[kEntries], partition, task->memory.load, Targets(task));
}

arrow::Status Keep(TaskContext* task, size_t partition) {
  return KeepLeast(task->in[kAside], partition, task->memory.load, Targets(task));
}

arrow::Status PairLarge(TaskContext* task, size_t partition) {
  return PairLargeBuckets(task->in[kKept], partition, task->memory.load, task->out.To(kPairs));
}

size_t WindowOf(TaskContext* task, std::span<const BucketEntry> entries) {
  return std::min(entries.size(), static_cast<size_t>(task->config.near_duplicates.window));
}

// Hands the last ranks of a range to the ranges that need them.
arrow::Status GiveTails(TaskContext* task, size_t partition) {
  const auto found = task->config.tails.find(static_cast<int32_t>(partition));
  if (found == task->config.tails.end()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const Bytes bytes, task->in[kEntries]->Take(partition));
  const std::span<BucketEntry> entries = Records<BucketEntry>(bytes);
  const auto middle = entries.end() - static_cast<std::ptrdiff_t>(WindowOf(task, entries));
  std::nth_element(entries.begin(), middle, entries.end(), IsBeforeBySketch);
  for (const int32_t to : found->second) {
    for (auto entry = middle; entry != entries.end(); ++entry) {
      ARROW_RETURN_NOT_OK(task->out.To(kTails)->AppendRecord(static_cast<size_t>(to), *entry));
    }
  }
  return arrow::Status::OK();
}

arrow::Status PairRange(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(const Bytes tails, task->in[kTails]->Take(partition));
  const std::span<BucketEntry> before = Records<BucketEntry>(tails);
  std::ranges::sort(before, IsBeforeBySketch);
  const auto last = before.last(WindowOf(task, before));
  std::vector<BucketEntry> window(last.begin(), last.end());
  return PairRanks(task->in[kEntries], partition, task->memory.load, task->config.near_duplicates.window, &window,
                   task->out.To(kPairs));
}

}  // namespace

std::vector<StepDeclaration> PairSteps() {
  return {{"pair", {kEntries}, Stateless<Pair>, nullptr},
          {"keep", {kAside}, Stateless<Keep>, nullptr},
          {"pair-large", {kKept}, Stateless<PairLarge>, nullptr},
          {"tails", {kEntries}, Stateless<GiveTails>, nullptr},
          {"pair-ranks", {kEntries, kTails}, Stateless<PairRange>, nullptr}};
}

}  // namespace uzushio
