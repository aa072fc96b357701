#include "cli/commands_list.h"

#include <fmt/format.h>

#include <ranges>

#include "cli/help.h"

namespace uzushio {
namespace {

struct OptionsArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // one command, or none
  std::string form = "text";
};

std::string Joined(const std::vector<std::string>& texts, const char* between) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
  return all;
}

// Where an option is to be had, when that is not everywhere.
std::string Frontends(const OptionDeclaration& option) {
  std::vector<std::string> frontends;
  if ((option.frontends & kOnCommandLine) != 0) frontends.emplace_back("command line");
  if ((option.frontends & kInPython) != 0) frontends.emplace_back("Python");
  if ((option.frontends & kOnSpark) != 0) frontends.emplace_back("Spark");
  return option.frontends == kEverywhere ? "" : Joined(frontends, ", ");
}

std::string Markdown(const Command& command) {
  std::string text = fmt::format("## {}\n\n{}.\n\n`{}`: {}.\n\n", command.name, command.summary,
                                 command.positional.name, command.positional.help);
  if (command.options.empty()) return text;
  text += "| option | meaning | values | default | only in |\n| --- | --- | --- | --- | --- |\n";
  for (const OptionDeclaration& option : command.options) {
    text += fmt::format(
        "| `{}{}` | {} | {} | {} | {} |\n", option.flags(), option.placeholder.empty() ? "" : " " + option.placeholder,
        MarkdownCell(option.help), MarkdownCell(ValuesOf(option)),
        option.is_required ? "required" : MarkdownCell(option.default_value.value_or("")), Frontends(option));
  }
  return text + "\n";
}

std::string PlainText(const Command& command) {
  std::string text = fmt::format("uzushio {}: {}\n", command.name, command.summary);
  for (const OptionDeclaration& option : command.options) {
    const std::string values = ValuesOf(option);
    const std::string frontends = Frontends(option);
    text += fmt::format("  {}: {}{}{}{}\n", option.flags(), option.help, values.empty() ? "" : "; " + values,
                        option.default_value ? "; default " + *option.default_value : "",
                        frontends.empty() ? "" : "; only in: " + frontends);
  }
  return text;
}

arrow::Result<std::string> Reference(const OptionsArguments& arguments) {
  std::vector<const Command*> commands;
  for (const Command& command : Commands()) {
    if (arguments.inputs.empty() || arguments.inputs.front() == command.name) commands.push_back(&command);
  }
  if (commands.empty()) return NoCommand(arguments.inputs.front());
  if (arguments.form == "json") {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Command* command : commands) all.push_back(ToJson(*command));
    return all.dump(2) + "\n";
  }
  std::string text;
  for (const Command* command : commands)
    text += arguments.form == "markdown" ? Markdown(*command) : PlainText(*command);
  return text;
}

arrow::Result<int> Run(OptionsArguments* arguments, const Console& console) {
  ARROW_ASSIGN_OR_RAISE(const std::string text, Reference(*arguments));
  console.Print(text);
  return kExitDone;
}

}  // namespace

Command OptionsCommand() {
  const auto options = Options<OptionsArguments>()
                           .Choice("form", &OptionsArguments::form, {"text", "markdown", "json"}, "Output format")
                           .Frontends(kOnCommandLine);
  return WithExamples(MakeCommand("options", "List all options with ranges and default values",
                                  {"COMMAND", "Show only this one", false, false, false, CommandNames}, options, &Run),
                      {"uzushio options stats", "uzushio options --form json"});
}

}  // namespace uzushio
