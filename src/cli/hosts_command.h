// `uzushio hosts`: statistics of hosts; and `uzushio host-lists`: lists of hosts in one file.
#pragma once

#include "cli/command.h"

namespace uzushio {

Command HostsCommand();
Command HostListsCommand();

}  // namespace uzushio
