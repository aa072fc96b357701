// `uzushio minhash`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command MinHashCommand();

}  // namespace uzushio
