// Short names that options have in all commands.
#pragma once

#include <vector>

#include "cli/command.h"

namespace uzushio {

// The commands, where `--output` is `-o`, too. (`--threads` has its `-j` where it is declared.)
inline std::vector<Command> WithShortNames(std::vector<Command> commands) {
  for (Command& command : commands) {
    for (OptionDeclaration& option : command.options) {
      if (option.name == "output") option.aliases.emplace_back("o");
    }
  }
  return commands;
}

}  // namespace uzushio
