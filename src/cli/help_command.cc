#include "cli/commands_list.h"

#include <algorithm>

#include "cli/help.h"

namespace uzushio {
namespace {

struct HelpArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // one command, or none
  bool all = false;
};

arrow::Result<int> RunHelp(HelpArguments* arguments, const Console& console) {
  if (arguments->inputs.empty()) {
    console.Print(ProgramHelp(HelpStyleOfOutput()));
    return kExitDone;
  }
  const std::string& name = arguments->inputs.front();
  const auto command = std::ranges::find(Commands(), name, &Command::name);
  if (command == Commands().end()) return NoCommand(name);
  console.Print(CommandHelp(*command, arguments->all, HelpStyleOfOutput()));
  return kExitDone;
}

}  // namespace

Command HelpCommand() {
  const auto options = Options<HelpArguments>()
                           .Flag("all", &HelpArguments::all, "Show all options of the command")
                           .Frontends(kOnCommandLine)
                           .InShortHelp();
  return WithExamples(
      MakeCommand("help", "Print the help of the program or of a command",
                  {"COMMAND", "Command to explain (default: list the commands)", false, false, false, CommandNames},
                  options, &RunHelp),
      {"uzushio help extract", "uzushio help extract --all"});
}

}  // namespace uzushio
