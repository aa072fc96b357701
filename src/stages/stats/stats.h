// The stages `stats`, documents to statistics, and `merge`, statistics to statistics.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/counters.h"
#include "datasets/text_reader.h"
#include "statistics/counting.h"
#include "statistics/output.h"
#include "statistics/search.h"
#include "storage/stage_options.h"

namespace uzushio {

struct MergeConfig : StageOptions {  // the inputs are statistics, or the intermediate files of such
  NearDuplicateOptions near_duplicates;
  StatisticsOutputOptions files;
  std::optional<int64_t> single_task_pairs;  // of a task on Spark
};

// The same, but that the inputs are texts.
struct StatsConfig : MergeConfig {
  TextReaderOptions reader;
  DocumentLimits limits;
};

const Options<MergeConfig>& DeclaredMerge();
const Options<StatsConfig>& DeclaredStats();

// How far a run is, in shares of the whole.
struct StatsProgress {
  std::string step;
  double share = 0;
};
using StatsProgressCallback = std::function<void(const StatsProgress&)>;

struct StatsResult {
  nlohmann::json counts;
  int64_t spilled_bytes = 0;
  bool was_done = false;
};

arrow::Result<StatsResult> RunStats(const StatsConfig& config, const StatsProgressCallback& on_progress);
arrow::Result<StatsResult> RunMerge(const MergeConfig& config, const StatsProgressCallback& on_progress);

}  // namespace uzushio
