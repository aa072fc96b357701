// `uzushio options`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command OptionsCommand();

}  // namespace uzushio
