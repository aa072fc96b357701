// `uzushio overlap`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command OverlapCommand();

}  // namespace uzushio
