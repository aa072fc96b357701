// `uzushio decontaminate`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command DecontaminateCommand();

}  // namespace uzushio
