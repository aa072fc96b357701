// `uzushio extract`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/common.h"

namespace uzushio {

// Adds the subcommand. When it is the one called, its exit code goes to `run`.
void AddExtractCommand(CLI::App* app, CommandRun* run);

}  // namespace uzushio
