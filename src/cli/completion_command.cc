#include "cli/commands_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/metric_names.h"

namespace uzushio {
namespace {

struct CompletionArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // the shell
};

using Texts = std::vector<std::string>;

// Options of the program itself, and those that every command has beside its own.
const Texts kOfProgram = {"--help", "--version", "-V"};
const Texts kOfCommand = {"--help", "--help-all"};

Texts FlagsOf(const OptionDeclaration& option) {
  Texts flags = {option.flag()};
  for (const std::string& alias : option.aliases) flags.push_back(OptionDeclaration::FlagOf(alias));
  return flags;
}

template <typename Use>
void ForEachOption(const Command& command, Use use) {
  for (const OptionDeclaration& option : command.options) {
    if ((option.frontends & kOnCommandLine) != 0) use(option);
  }
}

Texts NamesOf(const Positional& positional) { return positional.names ? positional.names() : Texts(); }

// What shells offer for an option's value; empty: files, or nothing. Metrics have other names in some chains.
Texts NamesOf(const OptionDeclaration& option) {
  return option.name == "metric" || option.name == "sorted-by" ? FilterAndMetricNames() : option.choices;
}

std::string Joined(const Texts& texts) { return fmt::format("{}", fmt::join(texts, " ")); }

// Within '…' of a shell, where `quote` stands for an apostrophe.
std::string Quoted(const std::string& text, const char* quote) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? quote : std::string(1, c);
  return out + "'";
}

// --- bash ---

constexpr const char* kBashHead = R"(# Completion of uzushio for bash: source <(uzushio completion bash)
_uzushio_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_uzushio_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
_uzushio() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $current == = ]]; then # bash has --name=value as three words
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
)";

// What may stand behind a command's options.
std::string BashOptions(const Command& command) {
  std::string text;
  const auto add = [&](const OptionDeclaration& option, const std::string& action) {
    Texts patterns;
    for (const std::string& flag : FlagsOf(option)) patterns.push_back(command.name + "\\ " + flag);
    text += fmt::format("    {})\n      {}\n      ;;\n", fmt::join(patterns, " | "), action);
  };
  ForEachOption(command, [&](const OptionDeclaration& option) {
    if (option.type == OptionType::kFlag || option.implicit_value) return;
    if (option.type == OptionType::kPath) return add(option, "_uzushio_files");
    const Texts names = NamesOf(option);
    add(option, names.empty() ? "return" : "_uzushio_words '" + Joined(names) + "'");
  });
  return text;
}

// What may stand where none of them waits for a value: options, choices of one that can be without, and the positional.
std::string BashRest(const Command& command) {
  Texts flags = kOfCommand;
  std::string implicit_value;
  ForEachOption(command, [&](const OptionDeclaration& option) {
    const Texts more = FlagsOf(option);
    flags.insert(flags.end(), more.begin(), more.end());
    if (option.implicit_value) {
      implicit_value +=
          fmt::format("        [[ $previous != {} ]] || _uzushio_words '{}'\n", option.flag(), Joined(option.choices));
    }
  });
  std::string text = fmt::format("    {}\\ *)\n      if [[ $current == -* ]]; then\n        _uzushio_words '{}'\n",
                                 command.name, Joined(flags));
  const Texts names = NamesOf(command.positional);
  if (!names.empty()) text += fmt::format("      else\n        _uzushio_words '{}'\n", Joined(names));
  if (names.empty() && command.positional.is_path) {
    text += "      else\n" + implicit_value + "        ((${#COMPREPLY[@]})) || _uzushio_files\n";
  }
  return text + "      fi\n      ;;\n";
}

std::string BashScript() {
  Texts first = CommandNames();
  first.insert(first.end(), kOfProgram.begin(), kOfProgram.end());
  std::string text = kBashHead;
  text += fmt::format("  if ((COMP_CWORD == 1)); then\n    _uzushio_words '{}'\n    return\n  fi\n", Joined(first));
  text += "  case ${COMP_WORDS[1]}\\ $previous in\n";
  for (const Command& command : Commands()) text += BashOptions(command) + BashRest(command);
  return text + "  esac\n}\ncomplete -F _uzushio uzushio\n";
}

// --- zsh ---

constexpr const char* kZshQuote = "'\\''";

// Of a description of _arguments.
std::string ZshEscaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += std::string(c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + c;
  return out;
}

std::string ZshAction(const Texts& choices, bool is_path) {
  if (!choices.empty()) return "(" + Joined(choices) + ")";
  return is_path ? "_files" : " ";
}

std::string ZshOption(const OptionDeclaration& option) {
  const std::string name = option.placeholder.empty() ? "WORD" : ZshEscaped(option.placeholder);
  const std::string value = option.type == OptionType::kFlag
                                ? ""
                                : (option.implicit_value ? "::" : ":") + name + ":" +
                                      ZshAction(NamesOf(option), option.type == OptionType::kPath);
  std::string text;
  for (const std::string& flag : FlagsOf(option)) {
    // Behind `=`, or as the next word.
    const char* sign = value.empty() ? "" : option.implicit_value ? "=-" : flag.starts_with("--") ? "=" : "+";
    const std::string spec =
        fmt::format("{}{}{}[{}]{}", option.is_list ? "*" : "", flag, sign, ZshEscaped(option.help), value);
    text += fmt::format(" \\\n        {}", Quoted(spec, kZshQuote));
  }
  return text;
}

std::string ZshScript() {
  std::string commands;
  std::string cases;
  for (const Command& command : Commands()) {
    commands += "      " + Quoted(ZshEscaped(command.name) + ":" + command.summary, kZshQuote) + "\n";
    cases += fmt::format("    {})\n      _arguments -S '--help[Show the usual options]' '--help-all[Show all options]'",
                         command.name);
    ForEachOption(command, [&](const OptionDeclaration& option) { cases += ZshOption(option); });
    const Positional& positional = command.positional;
    cases += " \\\n        " +
             Quoted((positional.is_list ? "*:" : "1:") + positional.name + ":" +
                        ZshAction(NamesOf(positional), positional.is_path),
                    kZshQuote) +
             "\n      ;;\n";
  }
  return "#compdef uzushio\n# Completion of uzushio for zsh: source <(uzushio completion zsh)\n_uzushio() {\n"
         "  local curcontext=\"$curcontext\"\n"
         "  if ((CURRENT == 2)); then\n    local -a commands=(\n" +
         commands +
         "    )\n    _describe command commands\n    _arguments '--help[Show the commands]' '--version[Show "
         "versions]' '-V[Show versions]'\n"
         "    return\n  fi\n  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n" +
         cases +
         "  esac\n}\nif [[ $funcstack[1] == _uzushio ]]; then\n  _uzushio \"$@\"\nelse\n  compdef _uzushio "
         "uzushio\nfi\n";
}

// --- fish ---

// Within '…', where a backslash stands for itself only when it is doubled.
std::string FishQuoted(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled += std::string(c == '\\' ? "\\" : "") + c;
  return Quoted(doubled, "\\'");
}

// Which values a positional takes.
std::string FishValues(const Texts& choices, bool is_path) {
  if (!choices.empty()) return " -a " + FishQuoted(Joined(choices));
  return is_path ? " -F" : "";
}

std::string FishValues(const OptionDeclaration& option) {
  if (option.type == OptionType::kFlag) return "";
  std::string values = FishValues(NamesOf(option), option.type == OptionType::kPath);
  if (option.implicit_value) return values;
  return (option.type == OptionType::kPath ? " -r" : " -x") + values;
}

std::string FishScript() {
  std::string text =
      "# Completion of uzushio for fish: uzushio completion fish | source\n"
      "function __uzushio_is\n    set -l words (commandline -opc)\n"
      "    test (count $words) -gt 1; and test $words[2] = $argv[1]\nend\n"
      "function __uzushio_first\n    test (count (commandline -opc)) -eq 1\nend\n"
      "complete -c uzushio -f\n"
      "complete -c uzushio -n __uzushio_first -l help -d 'Show the commands'\n"
      "complete -c uzushio -n __uzushio_first -l version -s V -d 'Show versions'\n";
  for (const Command& command : Commands()) {
    const std::string here = "complete -c uzushio -n '__uzushio_is " + command.name + "'";
    text += "complete -c uzushio -n __uzushio_first -a " + command.name + " -d " + FishQuoted(command.summary) + "\n";
    text += here + FishValues(NamesOf(command.positional), command.positional.is_path) + "\n";
    text += fmt::format("{0} -l help -d 'Show the usual options'\n{0} -l help-all -d 'Show all options'\n", here);
    ForEachOption(command, [&](const OptionDeclaration& option) {
      text += here;
      for (const std::string& flag : FlagsOf(option)) {
        text += (flag.starts_with("--") ? " -l " : " -s ") + flag.substr(flag.find_first_not_of('-'));
      }
      text += FishValues(option) + " -d " + FishQuoted(option.help) + "\n";
    });
  }
  return text;
}

const std::vector<std::pair<std::string, std::string (*)()>> kShells = {
    {"bash", BashScript}, {"zsh", ZshScript}, {"fish", FishScript}};

Texts Shells() {
  Texts names;
  for (const auto& [name, script] : kShells) names.push_back(name);
  return names;
}

arrow::Result<int> Run(CompletionArguments* arguments, const Console& console) {
  const std::string& wanted = arguments->inputs.front();
  for (const auto& [name, script] : kShells) {
    if (name != wanted) continue;
    console.Print(script());
    return kExitDone;
  }
  return arrow::Status::Invalid("'", wanted, "': there is no completion for this shell; give one of ",
                                fmt::format("{}", fmt::join(Shells(), ", ")));
}

}  // namespace

Command CompletionCommand() {
  return WithExamples(
      MakeCommand("completion", "Print a shell completion script",
                  {"SHELL", "bash, zsh or fish", true, false, false, Shells}, Options<CompletionArguments>(), &Run),
      {"source <(uzushio completion bash)", "uzushio completion fish > uzushio.fish"});
}

}  // namespace uzushio
