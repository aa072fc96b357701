// What the stages `stats` and `merge` share. Not for others.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "stages/stats.h"

namespace uzushio {

// The share of a run's progress that reading counts for.
inline constexpr double kReadingShare = 0.4;

// A run's memory: what partitions may hold, and what work on them may take.
struct StageMemory {
  StageMemory(int64_t all, int threads);
  int64_t working;
  int64_t held;
};

nlohmann::json InputNames(const std::vector<InputFile>& inputs);
nlohmann::json Configuration(const NearDuplicateOptions& options, const StatisticsOutputOptions& files);
nlohmann::json ToJson(const NearDuplicateCounts& counts);
// The bytes of text in the inputs, roughly.
int64_t EstimateText(const std::vector<InputFile>& inputs);
StatsResult DoneBefore(const StatisticsOutput& output);

// What follows when the paragraphs are counted.
arrow::Result<NearDuplicateCounts> FindAndWrite(SpillPartitions* paragraphs, const HashPartitioning& partitioning,
                                                const NearDuplicateOptions& options,
                                                const NearDuplicateResources& resources, StatisticsOutput* output,
                                                const StatsProgressCallback& on_progress);

}  // namespace uzushio
