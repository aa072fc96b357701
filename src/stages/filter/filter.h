// The stage `filter`: documents to clean text.
#pragma once

#include <arrow/result.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counters.h"
#include "datasets/row_reader.h"
#include "datasets/shard_writer.h"
#include "filters/chain.h"
#include "stages/filter/kernel.h"
#include "stages/filter/options.h"
#include "storage/stage_options.h"

namespace uzushio {

struct FilterConfig : StageOptions {         // temporary data are of filters that compare documents
  std::string chain_file;                    // what `chain` is read from
  std::vector<std::string> properties;       // values for it
  std::shared_ptr<const FilterChain> chain;  // not null; of no filters: only the format changes
  std::string statistics;                    // a folder with a frequency index; empty: every paragraph occurs once
  SparkIndex on_spark;
  std::string metrics;  // a folder of metrics that need not be computed again; empty: none
  FilterKernelOptions kernel;
  ShardFormat format = ShardFormat::kParquet;
  int64_t shard_bytes = int64_t{1} << 30;
  RowFormats input;
  std::string output_column;                 // what the column of texts is called in the output; empty: the same
  std::string output_delimiter{kEmptyLine};  // behind each document in plain text

  std::shared_ptr<const FrequencyIndex> index;  // that of `statistics`, as the run opens it
};

const Options<FilterConfig>& DeclaredFilter();
// What makes a run the same as another, of `clean` as well: `configuration` in its manifest.
arrow::Result<nlohmann::json> FilterIdentity(const FilterConfig& config);

struct FilterResult {
  std::vector<std::string> reasons;
  std::vector<std::string> step_names;  // of the chain
  std::vector<size_t> step_of_reason;
  FilterTotals totals;
  Counters quarantined;
  int64_t files = 0;
  int64_t bytes_out = 0;
  bool was_done = false;
};

// As manifests and summaries have them.
nlohmann::json ToJson(const FilterCounts& counts);

// `on_progress` gets the share of the input that is done.
arrow::Result<FilterResult> RunFilter(const FilterConfig& config, const std::function<void(double)>& on_progress);

}  // namespace uzushio
