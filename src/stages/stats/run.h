// What `stats` and `merge` have in common: a run's configuration, and all that follows once paragraphs are counted.
#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>

#include "stages/stats/stats.h"
#include "statistics/output.h"
#include "statistics/paragraph_store.h"

namespace uzushio {

// The share of a run's progress that reading counts for.
inline constexpr double kReadingShare = 0.4;

// What results depend on beside the inputs.
nlohmann::json Configuration(const NearDuplicateOptions& options, const StatisticsOutputOptions& files);

// The result of a run that is in its place already.
arrow::Result<StatsResult> DoneBefore(const StatisticsOutput& output);

// Searches and commits. `counts` are those of the reading.
arrow::Result<StatsResult> FindAndCommit(const NearDuplicateOptions& options, ParagraphStore* store,
                                         const nlohmann::json& counts, StatisticsOutput* output,
                                         const StatsProgressCallback& on_progress);

}  // namespace uzushio
