// `uzushio run`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command RunCommand();

}  // namespace uzushio
