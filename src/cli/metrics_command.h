// `uzushio metrics` and `uzushio explain`.
#pragma once

#include <CLI/CLI.hpp>

namespace uzushio {

void AddMetricsCommand(CLI::App* app, int* exit_code);
void AddExplainCommand(CLI::App* app, int* exit_code);

}  // namespace uzushio
