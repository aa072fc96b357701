// `uzushio index`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command IndexCommand();

}  // namespace uzushio
