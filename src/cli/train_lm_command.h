// `uzushio train-lm`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command TrainLmCommand();

}  // namespace uzushio
