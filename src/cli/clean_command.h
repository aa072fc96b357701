// `uzushio clean`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command CleanCommand();

}  // namespace uzushio
