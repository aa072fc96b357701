#include <utility>

#include "cli/commands_list.h"
#include "cli/short_names.h"

namespace uzushio {

const std::vector<Command>& Commands() {
#define UZUSHIO_ADD_COMMAND(NAME, ...) made.push_back(NAME##Command());
  static const std::vector<Command> commands = [] {
    std::vector<Command> made;
    UZUSHIO_COMMANDS(UZUSHIO_ADD_COMMAND, UZUSHIO_ADD_COMMAND)
    return WithShortNames(std::move(made));
  }();
#undef UZUSHIO_ADD_COMMAND
  return commands;
}

const std::vector<std::string>& CommandsLeftOut() {
  static const std::vector<std::string> none;
  return none;
}

}  // namespace uzushio
