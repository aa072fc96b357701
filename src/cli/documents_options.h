// What commands that read documents for filters share.
#pragma once

#include <arrow/result.h>

#include <string>

#include "base/options.h"
#include "cli/command.h"
#include "stages/filter/kernel.h"

namespace uzushio {

inline const Positional kDocumentsPositional = {
    "INPUT", "Documents in Parquet or JSON Lines: files, folders or globs; paths or s3://", true, true};

const Options<FilterKernelOptions>& ColumnOptions();

// How Spark's executors get statistics.
struct IndexArguments {
  std::string index = "file";
};
const Options<IndexArguments>& IndexOptions();

// Runs the stage `filter` and says what it did, for all commands that do so. The exit code.
struct FilterConfig;
arrow::Result<int> RunFilterCommand(const CommonOptions& common, const Console& console, const FilterConfig& config);

}  // namespace uzushio
