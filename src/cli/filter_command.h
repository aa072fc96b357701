// `uzushio filter` and `uzushio filters`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/common.h"

namespace uzushio {

void AddFilterCommand(CLI::App* app, CommandRun* run);
void AddFiltersCommand(CLI::App* app, CommandRun* run);

}  // namespace uzushio
