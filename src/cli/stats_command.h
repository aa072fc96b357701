// The commands `uzushio stats` and `uzushio merge`.
#pragma once

#include <CLI/CLI.hpp>

namespace uzushio {

void AddStatsCommand(CLI::App* app, int* exit_code);
void AddMergeCommand(CLI::App* app, int* exit_code);

}  // namespace uzushio
