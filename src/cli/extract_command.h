// `uzushio extract`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command ExtractCommand();

}  // namespace uzushio
