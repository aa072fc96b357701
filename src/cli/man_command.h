// `uzushio man`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command ManCommand();

}  // namespace uzushio
