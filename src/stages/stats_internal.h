// What the stages `stats` and `merge` share. Not for others.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "stages/stats.h"

namespace uzushio {

// The share of a run's progress that reading counts for.
inline constexpr double kReadingShare = 0.4;

// The paragraphs that a run counts, in partitions, and what work on them may take.
struct ParagraphStore {
  explicit ParagraphStore(const MergeConfig& config);
  MemoryBudget budget;
  SpillSpace space;
  NearDuplicateResources resources;
  HashPartitioning partitioning;
  SpillPartitions paragraphs;
  size_t buffer_bytes;  // of a thread for a partition
};

// Whether the memory suffices for inputs of this size. The error says how much would.
arrow::Status CheckMemory(const MergeConfig& config);

// The share of FindNearDuplicates that is done, from what it tells of its steps.
double NearDuplicateShare(std::string_view step, size_t done, size_t all);

nlohmann::json InputNames(const std::vector<InputFile>& inputs);
nlohmann::json Configuration(const NearDuplicateOptions& options, const StatisticsOutputOptions& files);
arrow::Result<StatsResult> DoneBefore(const StatisticsOutput& output);

// What follows when the paragraphs are counted, up to the commit. `counts` are those of the reading.
arrow::Result<StatsResult> FindAndCommit(const MergeConfig& config, ParagraphStore* store, const nlohmann::json& counts,
                                         StatisticsOutput* output, const StatsProgressCallback& on_progress);

}  // namespace uzushio
