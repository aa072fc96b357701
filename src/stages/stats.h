// The stages `stats`, documents to statistics, and `merge`, statistics to statistics.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counters.h"
#include "io/inputs.h"
#include "io/text_reader.h"
#include "stages/count_paragraphs.h"
#include "stages/near_duplicates.h"
#include "stages/statistics_output.h"

namespace uzushio {

struct MergeConfig {
  std::vector<InputFile> inputs;  // statistics, or the `_intermediate` files of such
  std::string output;
  std::string tmp;  // folder for temporary data
  NearDuplicateOptions near_duplicates;
  StatisticsOutputOptions files;
  bool allow_incomplete = false;
  int threads = 1;
  int64_t memory = 0;
  bool overwrite = false;
};

// The same, but that the inputs are texts.
struct StatsConfig : MergeConfig {
  TextReaderOptions reader;
  DocumentLimits limits;
};

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

// The inputs of a merge: for a folder with intermediate statistics those, else its Parquet files.
arrow::Result<std::vector<InputFile>> ResolveStatistics(const std::vector<std::string>& arguments);

// A row group of statistics.
struct StatisticsPiece {
  const InputFile* file = nullptr;
  std::shared_ptr<parquet::FileMetaData> metadata;
  int row_group = 0;
};
// The pieces of files of statistics. Errors name the file: no Parquet, or other columns.
arrow::Result<std::vector<StatisticsPiece>> FindStatistics(const std::vector<InputFile>& inputs);

}  // namespace uzushio
