// `uzushio report`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command ReportCommand();

}  // namespace uzushio
