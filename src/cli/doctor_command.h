// `uzushio doctor`.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command DoctorCommand();

}  // namespace uzushio
