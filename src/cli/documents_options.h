// What commands that read documents for filters share.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "filters/chain.h"
#include "storage/places.h"

namespace uzushio {

inline const Positional kDocumentsPositional = {
    "INPUT", "Documents in Parquet or JSON Lines: files, folders or globs; paths, s3://, gs:// or abfs://", true, true};

// The chain of a configuration, whose values are of -P; without one, of no filters. `memory` is that of --memory, or 0.
arrow::Result<std::unique_ptr<FilterChain>> ReadChain(const std::string& file,
                                                      const std::vector<std::string>& properties, int64_t memory);
// Where it lies.
Places::Place PlaceOfChain(const std::string& file);

// Runs the stage `filter` and says what it did, for all commands that do so. The exit code.
struct FilterConfig;
arrow::Result<int> RunFilterCommand(const CommonOptions& common, const Console& console, const FilterConfig& config);

}  // namespace uzushio
