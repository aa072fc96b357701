// `uzushio train-lm`.
#pragma once

#include <CLI/CLI.hpp>

namespace uzushio {

void AddTrainLmCommand(CLI::App* app, int* exit_code);

}  // namespace uzushio
