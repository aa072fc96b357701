// `uzushio metrics` and `uzushio explain`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command MetricsCommand();
Command ExplainCommand();

}  // namespace uzushio
