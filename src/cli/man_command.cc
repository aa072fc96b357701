#include "cli/commands_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "cli/help.h"

namespace uzushio {
namespace {

struct ManArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // one command, or none
};

// A text of a man page: a backslash begins an escape, a point or an apostrophe at the begin of a line a request; what
// is not ASCII is named by its code point.
std::string Troff(std::string_view text) {
  std::string out = text.starts_with('.') ? "\\&" : "";
  while (!text.empty()) {
    const size_t bytes = Utf8Length(text[0]);
    if (bytes > 1) {
      out += fmt::format("\\[u{:04X}]", static_cast<uint32_t>(PointAt(text, bytes)));
    } else {
      out += text[0] == '\\' ? "\\e" : text[0] == '-' ? "\\-" : text[0] == '\'' ? "\\(aq" : std::string(1, text[0]);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string Head(const std::string& name, const std::string& summary) {
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 \"\" \"uzushio " UZUSHIO_VERSION "\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", Troff(title),
                     Troff(name), Troff(summary));
}

std::string Examples(const std::vector<std::string>& examples) {
  std::string text = ".SH EXAMPLES\n.nf\n";
  for (const std::string& example : examples) text += Troff(example) + "\n";
  return text + ".fi\n";
}

std::string CommandPage(const Command& command) {
  std::string text = Head("uzushio-" + command.name, command.summary);
  text += fmt::format(".B uzushio {}\n[OPTION]...\n.I {}\n.SH ARGUMENTS\n.TP\n.I {}\n{}.\n.SH OPTIONS\n",
                      Troff(command.name), Troff(UsageOf(command.positional)), Troff(command.positional.name),
                      Troff(command.positional.help));
  std::string group;
  for (const OptionDeclaration& option : command.options) {
    if ((option.frontends & kOnCommandLine) == 0) continue;
    if (option.group != group) text += ".SS " + Troff(option.group) + "\n";
    group = option.group;
    const std::string values = ValuesOf(option);
    text +=
        fmt::format(".TP\n.B {}{}\n{}{}{}{}.\n", Troff(option.flags()),
                    option.placeholder.empty() ? "" : " \\fI" + Troff(option.placeholder) + "\\fR", Troff(option.help),
                    option.is_required ? "; required" : "", values.empty() ? "" : "; " + Troff(values),
                    option.default_value ? "; default " + Troff(*option.default_value) : "");
  }
  return text + Examples(command.examples) + ".SH SEE ALSO\n.BR uzushio (1)\n";
}

std::string ProgramPage() {
  std::string text = Head("uzushio", "web archives to clean Japanese text for training language models");
  text += ".B uzushio\n.I COMMAND\n[OPTION]...\n.SH COMMANDS\n";
  for (const Command& command : Commands()) {
    text += fmt::format(".TP\n.BR uzushio\\-{} (1)\n{}.\n", Troff(command.name), Troff(command.summary));
  }
  text += ".SH EXIT STATUS\n";
  const std::pair<ExitCode, const char*> codes[] = {
      {kExitDone, "Done."},
      {kExitFailed, "The run failed."},
      {kExitUsage, "Wrong usage or configuration; nothing was written."},
      {kExitBadRecords, "Done, but more bad records than \\-\\-max\\-bad."}};
  for (const auto& [code, help] : codes) text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(code), help);
  text += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is not empty, nothing is coloured.\n";
  text += ".TP\n.B VIRTUAL_ENV\nPython's environment, whose dictionaries are found.\n";
  text += ".TP\n.B AWS_*\nAccess to s3:// paths, as of Amazon's other programs.\n";
  text += ".TP\n.B GOOGLE_APPLICATION_CREDENTIALS\nAccess to gs:// paths, as of Google's other programs.\n";
  return text + ".TP\n.B AZURE_*\nAccess to abfs:// paths, as of Microsoft's other programs.\n";
}

arrow::Result<int> Run(ManArguments* arguments, const Console& console) {
  if (arguments->inputs.empty()) {
    console.Print(ProgramPage());
    return kExitDone;
  }
  const auto command = std::ranges::find(Commands(), arguments->inputs.front(), &Command::name);
  if (command == Commands().end()) return NoCommand(arguments->inputs.front());
  console.Print(CommandPage(*command));
  return kExitDone;
}

}  // namespace

Command ManCommand() {
  return WithExamples(
      MakeCommand("man", "Print the man page of the program or of a command",
                  {"COMMAND", "Command to describe (default: the program)", false, false, false, CommandNames},
                  Options<ManArguments>(), &Run),
      {"uzushio man > uzushio.1", "uzushio man stats > uzushio-stats.1"});
}

}  // namespace uzushio
