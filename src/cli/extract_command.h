// `uzushio extract`.
#pragma once

#include <CLI/CLI.hpp>

namespace uzushio {

// Adds the subcommand. When it is the one called, its exit code goes to `*exit_code`.
void AddExtractCommand(CLI::App* app, int* exit_code);

}  // namespace uzushio
