// `uzushio completion`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command CompletionCommand();

}  // namespace uzushio
