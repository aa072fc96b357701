// `uzushio stats` and `uzushio merge`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command StatsCommand();
Command MergeCommand();

}  // namespace uzushio
