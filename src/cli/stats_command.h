// The commands `uzushio stats` and `uzushio merge`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/common.h"

namespace uzushio {

void AddStatsCommand(CLI::App* app, CommandRun* run);
void AddMergeCommand(CLI::App* app, CommandRun* run);

}  // namespace uzushio
