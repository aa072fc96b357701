// What commands that read documents for filters share.
#pragma once

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

}  // namespace uzushio
