// The command `help`: what `COMMAND --help` prints.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command HelpCommand();

}  // namespace uzushio
