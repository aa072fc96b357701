// `uzushio filter` and `uzushio filters`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command FilterCommand();
Command FiltersCommand();

}  // namespace uzushio
