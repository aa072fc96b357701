// `uzushio filters`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command FiltersCommand();

}  // namespace uzushio
