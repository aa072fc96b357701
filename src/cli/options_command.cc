#include "cli/options_command.h"

#include <fmt/format.h>

#include <ranges>

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

// What may stand there: the choices, or the range.
std::string Values(const OptionDeclaration& option) {
  if (option.is_number() || option.type == OptionType::kShare) return RangeText(option);
  return Joined(option.choices, ", ") + (option.bare ? "; without a value: " + *option.bare : "");
}

// Where an option is to be had, when that is not everywhere.
std::string Doors(const OptionDeclaration& option) {
  std::vector<std::string> doors;
  if ((option.doors & kOnCommandLine) != 0) doors.emplace_back("command line");
  if ((option.doors & kInPython) != 0) doors.emplace_back("Python");
  if ((option.doors & kOnSpark) != 0) doors.emplace_back("Spark");
  return option.doors == kEverywhere ? "" : Joined(doors, ", ");
}

std::string Markdown(const Command& command) {
  std::string text = fmt::format("## {}\n\n{}.\n\n`{}`: {}.\n\n", command.name, command.summary,
                                 command.positional.name, command.positional.meaning);
  if (command.options.empty()) return text;
  text += "| option | meaning | values | default | only in |\n| --- | --- | --- | --- | --- |\n";
  for (const OptionDeclaration& option : command.options) {
    text += fmt::format("| `{}{}` | {} | {} | {} | {} |\n", option.flags(),
                        option.placeholder.empty() ? "" : " " + option.placeholder, MarkdownCell(option.meaning),
                        MarkdownCell(Values(option)),
                        option.is_required ? "required" : MarkdownCell(option.standard.value_or("")), Doors(option));
  }
  return text + "\n";
}

// A text of a man page: a backslash begins an escape, a point or an apostrophe at the begin of a line a request.
std::string Troff(const std::string& text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return out;
}

std::string ManPage(const std::vector<const Command*>& commands) {
  std::string text = ".TH UZUSHIO 1 \"\" \"uzushio " UZUSHIO_VERSION
                     "\"\n.SH NAME\nuzushio \\- web archives to clean "
                     "Japanese text for training language models\n";
  for (const Command* command : commands) {
    text += fmt::format(".SH {}\n.B uzushio {} \n.I {}{} [OPTION]...\n.PP\n{}.\n.PP\n{}: {}.\n", Troff(command->name),
                        Troff(command->name), command->positional.name, command->positional.is_list ? "..." : "",
                        Troff(command->summary), command->positional.name, Troff(command->positional.meaning));
    for (const OptionDeclaration& option : command->options) {
      if ((option.doors & kOnCommandLine) == 0) continue;
      const std::string values = Values(option);
      text += fmt::format(".TP\n.B {} \\fI{}\\fR\n{}{}{}.\n", Troff(option.flags()), Troff(option.placeholder),
                          Troff(option.meaning), values.empty() ? "" : "; " + Troff(values),
                          option.standard ? "; default " + Troff(*option.standard) : "");
    }
  }
  return text;
}

std::string PlainText(const Command& command) {
  std::string text = fmt::format("uzushio {}: {}\n", command.name, command.summary);
  for (const OptionDeclaration& option : command.options) {
    const std::string values = Values(option);
    const std::string doors = Doors(option);
    text +=
        fmt::format("  {}: {}{}{}{}\n", option.flags(), option.meaning, values.empty() ? "" : "; " + values,
                    option.standard ? "; default " + *option.standard : "", doors.empty() ? "" : "; only in: " + doors);
  }
  return text;
}

arrow::Result<std::string> Reference(const OptionsArguments& arguments) {
  std::vector<const Command*> commands;
  for (const Command& command : Commands()) {
    if (arguments.inputs.empty() || arguments.inputs.front() == command.name) commands.push_back(&command);
  }
  if (commands.empty()) return NoCommand(arguments.inputs.front());
  if (arguments.form == "man") return ManPage(commands);
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
                           .Choice(
                               "form", [](auto& all) -> auto& { return all.form; }, {"text", "markdown", "man", "json"},
                               "How they are written")
                           .Doors(kOnCommandLine);
  return MakeCommand("options", "Lists the options of all commands: what they mean, their ranges and defaults",
                     {"COMMAND", "Only this one", false, false}, options, &Run);
}

}  // namespace uzushio
