// What --help says.
#pragma once

#include <string>

#include "cli/command.h"

namespace uzushio {

struct HelpStyle {
  int columns = 80;  // lines are broken there
  bool colour = false;
};

// What goes to standard output.
HelpStyle HelpStyleOfOutput();

// Of the program: its commands.
std::string ProgramHelp(const HelpStyle& style);

// Of a command: the options that are given often, or `all`, and examples.
std::string CommandHelp(const Command& command, bool all, const HelpStyle& style);

// What may stand behind an option or what a number may be, and what it means without a value: "from 1 to 64".
std::string ValuesOf(const OptionDeclaration& option);

// How the arguments of a command are written: "INPUT...".
std::string UsageOf(const Positional& positional);

}  // namespace uzushio
