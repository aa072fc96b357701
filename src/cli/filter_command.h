// `uzushio filter`.
#pragma once

#include <arrow/result.h>

#include "cli/command.h"
#include "cli/common.h"

namespace uzushio {

struct FilterConfig;

Command FilterCommand();

// Runs the stage and says what it did; of all commands that do so. The exit code.
arrow::Result<int> RunFilterCommand(const CommonOptions& common, const Console& console, const FilterConfig& config);

}  // namespace uzushio
