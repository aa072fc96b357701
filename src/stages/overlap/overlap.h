// The stage `overlap`: what datasets share, of URLs, documents and paragraphs.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/columns.h"
#include "storage/stage_options.h"

namespace uzushio {

inline constexpr const char* kOverlapFile = "overlap.parquet";

// Documents, or statistics, which have paragraphs only.
struct OverlapDataset {
  std::string name;
  std::vector<InputFile> files;
  bool is_statistics = false;
  bool is_whole = true;  // not statistics that lack paragraphs which occur once
};

struct OverlapConfig : StageOptions {  // the inputs are the files of all datasets
  std::vector<OverlapDataset> datasets;
  std::string text_column = "text";
  std::string url_column = kUsualUrlColumn;
};

const Options<OverlapConfig>& DeclaredOverlap();

struct OverlapResult {
  // `datasets`: of each its name and what was read; `overlaps`: the table's rows; `quarantined` by reason.
  nlohmann::json counts;
  int64_t spilled_bytes = 0;
  bool was_done = false;
};

// What an argument names: statistics when its files have columns `hash` and `exactFreq` and no texts.
arrow::Result<OverlapDataset> FindOverlapDataset(const std::string& argument, const std::string& text_column);

// Errors: fewer than two datasets, more than 64, two of one name. Before anything is looked for.
arrow::Status CheckOverlapNames(const std::vector<std::string>& names);

// Writes DIR/overlap.parquet: a row for each kind and pair of datasets that have it, in the order in which they are
// given, with numbers of distinct values.
arrow::Result<OverlapResult> RunOverlap(const OverlapConfig& config,
                                        const std::function<void(double share, const std::string& step)>& on_progress);

}  // namespace uzushio
