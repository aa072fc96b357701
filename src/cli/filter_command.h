// `uzushio filter` and `uzushio filters`.
#pragma once

#include <CLI/CLI.hpp>

namespace uzushio {

void AddFilterCommand(CLI::App* app, int* exit_code);
void AddFiltersCommand(CLI::App* app, int* exit_code);

}  // namespace uzushio
