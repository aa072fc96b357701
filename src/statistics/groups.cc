#include "statistics/groups.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/memory_error.h"

namespace uzushio {
namespace {

class PivotGroups final : public Groups {
 public:
  explicit PivotGroups(const ParagraphPartitions& table) {
    for (size_t i = 0; i < table.partitions(); ++i) taken_.emplace_back(table.size(i));
  }
  arrow::Status Add(const NearPair& pair, const Take& take) override {
    if (taken_[PartitionOf(pair.first)][LocalOf(pair.first)]) return arrow::Status::OK();
    auto second = taken_[PartitionOf(pair.second)][LocalOf(pair.second)];
    if (second) return arrow::Status::OK();
    second = true;
    return take(pair.hashes, pair.second);
  }

 private:
  std::vector<std::vector<bool>> taken_;  // by partition and place
};

// Components, for comparison: union by the lesser number, in memory.
class ComponentGroups final : public Groups {
 public:
  explicit ComponentGroups(const ParagraphPartitions& table) : starts_(1, 0) {
    for (size_t i = 0; i < table.partitions(); ++i) starts_.push_back(starts_.back() + table.size(i));
    parents_.resize(starts_.back());
    std::iota(parents_.begin(), parents_.end(), uint64_t{0});
  }
  arrow::Status Add(const NearPair& pair, const Take& /*take*/) override {
    const uint64_t a = Root(Dense(pair.first));
    const uint64_t b = Root(Dense(pair.second));
    parents_[std::max(a, b)] = std::min(a, b);
    return arrow::Status::OK();
  }
  arrow::Status Finish(const ParagraphPartitions& table, const Take& take) override {
    std::vector<int64_t> hashes;  // of the roots, all in memory as the parents are
    hashes.reserve(parents_.size());
    for (size_t partition = 0; partition < table.partitions(); ++partition) {
      ARROW_ASSIGN_OR_RAISE(const Bytes heads, table.Heads(partition));
      for (const ParagraphHead& head : Records<ParagraphHead>(heads)) hashes.push_back(head.hash);
    }
    for (size_t partition = 0; partition < table.partitions(); ++partition) {
      for (size_t local = 0; local < table.size(partition); ++local) {
        const uint64_t at = starts_[partition] + local;
        const uint64_t root = Root(at);
        if (root == at) continue;
        ARROW_RETURN_NOT_OK(take({hashes[root], hashes[at]}, ParagraphNumber(partition, local)));
      }
    }
    return arrow::Status::OK();
  }

 private:
  uint64_t Dense(uint64_t paragraph) const { return starts_[PartitionOf(paragraph)] + LocalOf(paragraph); }
  uint64_t Root(uint64_t at) {
    while (parents_[at] != at) {
      parents_[at] = parents_[parents_[at]];
      at = parents_[at];
    }
    return at;
  }

  std::vector<uint64_t> starts_;   // of the partitions, in dense numbers
  std::vector<uint64_t> parents_;  // by dense number
};

}  // namespace

arrow::Result<std::unique_ptr<Groups>> MakeGroups(GroupMethod method, const ParagraphPartitions& table,
                                                  const StatisticsPlan& memory) {
  if (method == GroupMethod::kPivot) return std::make_unique<PivotGroups>(table);
  const int64_t bytes = 2 * table.size() * static_cast<int64_t>(sizeof(uint64_t));
  if (bytes > memory.block) {
    return MemoryError("--groups components keeps ", bytes >> 20, "MiB for ", table.size(),
                       " distinct paragraphs, but may ", memory.block >> 20, "MiB; give so many times the --memory");
  }
  return std::make_unique<ComponentGroups>(table);
}

}  // namespace uzushio
