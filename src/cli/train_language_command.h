// `uzushio train-language`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command TrainLanguageCommand();

}  // namespace uzushio
