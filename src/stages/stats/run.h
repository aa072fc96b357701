// What `stats` and `merge` have in common: all but how paragraphs are counted.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "stages/stats/stats.h"
#include "statistics/paragraph_store.h"

namespace uzushio {

// The share of a run's progress that reading counts for.
inline constexpr double kReadingShare = 0.4;

// Reads the inputs, paragraphs to the store and what can not be read to the folder. Returns the counts of the reading.
using CountParagraphs =
    std::function<arrow::Result<nlohmann::json>(const std::filesystem::path& work, ParagraphStore* store)>;

// A run, whose identity is `run`: counts paragraphs, searches and commits; nothing of it, where it is done already.
arrow::Result<StatsResult> CountAndFind(const MergeConfig& config, const nlohmann::json& run,
                                        const CountParagraphs& count, const StatsProgressCallback& on_progress);

}  // namespace uzushio
