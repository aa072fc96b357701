#include "cli/commands_list.h"
#include "cli/short_names.h"

namespace uzushio {

const std::vector<Command>& Commands() {
#define UZUSHIO_MAKE_COMMAND(NAME, ...) NAME##Command(),
  static const std::vector<Command> commands =
      WithShortNames({UZUSHIO_COMMANDS(UZUSHIO_MAKE_COMMAND, UZUSHIO_MAKE_COMMAND)});
#undef UZUSHIO_MAKE_COMMAND
  return commands;
}

const std::vector<std::string>& CommandsLeftOut() {
  static const std::vector<std::string> none;
  return none;
}

}  // namespace uzushio
