// `uzushio metrics` and `uzushio explain`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/common.h"

namespace uzushio {

void AddMetricsCommand(CLI::App* app, CommandRun* run);
void AddExplainCommand(CLI::App* app, CommandRun* run);

}  // namespace uzushio
