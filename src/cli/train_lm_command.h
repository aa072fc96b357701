// `uzushio train-lm`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/common.h"

namespace uzushio {

void AddTrainLmCommand(CLI::App* app, CommandRun* run);

}  // namespace uzushio
