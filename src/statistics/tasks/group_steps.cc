// Groups of near-duplicates, and the sums over them.
#include <unordered_map>
#include <unordered_set>

#include "statistics/tasks/steps.h"

namespace uzushio {
namespace {

// The pairs of all partitions come to one task: the greedy pass of statistics/groups.h, in order of hashes.
PartitionWork MakePivots(TaskContext* task) {
  return [task, taken = std::unordered_set<int64_t>()](size_t partition) mutable -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto near, TakeNearPairs(task, partition));
    for (const HashPair& pair : near.second) {
      if (taken.contains(pair.first) || !taken.insert(pair.second).second) continue;
      ARROW_RETURN_NOT_OK(task->out.To(kTaken)->AppendRecord(task->partitioning(pair.second), pair));
    }
    return arrow::Status::OK();
  };
}

// Connected components by union-find; the least hash is the root.
class Components {
 public:
  void Join(const HashPair& pair) {
    const int64_t a = RootOf(pair.first);
    const int64_t b = RootOf(pair.second);
    parents_[std::max(a, b)] = std::min(a, b);
  }
  arrow::Status Give(TaskContext* task) {
    for (const auto& [hash, parent] : parents_) {
      const int64_t pivot = RootOf(hash);
      if (pivot == hash) continue;
      ARROW_RETURN_NOT_OK(task->out.To(kTaken)->AppendRecord(task->partitioning(hash), HashPair{pivot, hash}));
    }
    return arrow::Status::OK();
  }

 private:
  int64_t RootOf(int64_t hash) {
    while (true) {
      int64_t& parent = parents_.try_emplace(hash, hash).first->second;
      if (parent == hash) return hash;
      hash = parent = parents_.at(parent);
    }
  }
  std::unordered_map<int64_t, int64_t> parents_;
};

PartitionWork MakeComponents(TaskContext* task) {
  const auto components = std::make_shared<Components>();
  task->at_end = [task, components] { return components->Give(task); };
  return [task, components](size_t partition) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto near, TakeNearPairs(task, partition));
    for (const HashPair& pair : near.second) components->Join(pair);
    return arrow::Status::OK();
  };
}

arrow::Status Share(TaskContext* task, size_t partition) {
  ARROW_ASSIGN_OR_RAISE(const Bytes heads, task->in[kHeads]->Take(partition));
  ARROW_ASSIGN_OR_RAISE(const Bytes taken, task->in[kTaken]->Take(partition));
  const std::span<ParagraphHead> paragraphs = Records<ParagraphHead>(heads);
  std::ranges::sort(paragraphs, {}, &ParagraphHead::hash);
  return ShareGroups(paragraphs, Records<HashPair>(taken), task->in[kNeighbours], partition, task->partitioning,
                     task->out.To(kShares));
}

// Only rows that are written go on, as in StatisticsOutput.
arrow::Status Sum(TaskContext* task, size_t partition) {
  GroupSizes sizes;
  const auto give = [task](const StatisticsRow& row, const GroupShare& share) {
    if (row.near_freq <= 1 && !task->config.intermediate && share.has_text != 0) return arrow::Status::OK();
    return task->out.To(kRows)->AppendRecord(task->partitioning(row.hash), row);
  };
  ARROW_RETURN_NOT_OK(SumGroups(task->in[kShares], partition, task->memory.load, &sizes, give));
  task->Count("groups", sizes.groups);
  task->CountMost("largest_group", sizes.largest);
  return arrow::Status::OK();
}

}  // namespace

std::vector<StepDeclaration> GroupSteps() {
  return {{"pivot", {kNear}, MakePivots, nullptr},
          {"components", {kNear}, MakeComponents, nullptr},
          {"take", {}, nullptr, nullptr},
          {"share", {kTaken, kHeads, kNeighbours}, Stateless<Share>, nullptr},
          {"sum", {kShares}, Stateless<Sum>, nullptr}};
}

}  // namespace uzushio
