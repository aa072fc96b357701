// The command line.
#pragma once

#include <string>
#include <vector>

#include "cli/common.h"

namespace uzushio {

// Runs the command that `arguments` (without the program's name) ask for, and returns the exit code. What it says goes
// to `hooks`, where they are set, else to standard error and output. Throws nothing.
int RunApp(const std::vector<std::string>& arguments, const RunHooks& hooks = {});

}  // namespace uzushio
