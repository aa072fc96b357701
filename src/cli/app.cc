#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iterator>

#include "base/guard.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/versions.h"

namespace uzushio {
namespace {

// A message with where help is, which may end in a question.
arrow::Status SeeHelp(const std::string& what, const std::string& command) {
  return arrow::Status::Invalid(what, what.ends_with('?') ? " See" : "; see", " uzushio ", command,
                                command.empty() ? "" : " ", "--help");
}

// What is wrong with arguments that can not be parsed, and the name that may have been meant.
arrow::Status UsageError(const std::vector<std::string>& arguments, const CLI::Error& error) {
  const std::string first = arguments.empty() ? "" : arguments[0];
  const auto command = std::ranges::find(Commands(), first, &Command::name);
  if (command == Commands().end()) {
    if (first.empty() || first.starts_with('-')) return SeeHelp(error.what(), "");
    return SeeHelp(NoCommand(first).message(), "");
  }
  std::vector<OptionDeclaration> options;
  std::ranges::copy_if(command->options, std::back_inserter(options),
                       [](const OptionDeclaration& option) { return (option.frontends & kOnCommandLine) != 0; });
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    const std::string name = argument.substr(2, argument.find('=') - 2);
    const bool known =
        name == "help" || name == "help-all" || std::ranges::any_of(options, [&name](const OptionDeclaration& option) {
          return option.name == name || std::ranges::find(option.aliases, name) != option.aliases.end();
        });
    if (!known) return SeeHelp(NoOption(name, options).message(), first);
  }
  return SeeHelp(error.what(), first);
}

// In reverse. Among arguments of which there may be many, CLI11 takes `[a]` for a list; files may be called so. The
// value of `--name=` is empty; CLI11 would take the next argument. What may be without a value has none where the next
// argument is no choice of it.
std::vector<std::string> ForCli11(const std::vector<std::string>& arguments) {
  const std::string first = arguments.empty() ? "" : arguments[0];
  const auto command = std::ranges::find(Commands(), first, &Command::name);
  const bool is_known = command != Commands().end();
  const auto takes_value = [&](const std::string& name) {
    return std::ranges::any_of(command->options, [&name](const OptionDeclaration& option) {
      const bool is_it = option.name == name || std::ranges::find(option.aliases, name) != option.aliases.end();
      return is_it && option.type != OptionType::kFlag;
    });
  };
  // What the option means without a value, where it has none.
  const auto implicit_value = [&](size_t i) -> std::optional<std::string> {
    const auto option = std::ranges::find(command->options, arguments[i].substr(2), &OptionDeclaration::name);
    if (option == command->options.end() || !option->implicit_value) return std::nullopt;
    const std::string next = i + 1 < arguments.size() ? arguments[i + 1] : "";
    return std::ranges::find(option->choices, next) == option->choices.end() ? option->implicit_value : std::nullopt;
  };
  std::vector<std::string> taken;
  bool options = is_known;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    options = options && argument != "--";
    std::error_code error;
    const bool is_list = argument.starts_with('[') && argument.ends_with(']');
    const bool is_empty = options && argument.starts_with("--") && argument.find('=') == argument.size() - 1;
    if (is_empty && takes_value(argument.substr(2, argument.size() - 3))) {
      taken.push_back(argument.substr(0, argument.size() - 1));
      taken.emplace_back();
    } else if (const auto value = options && argument.starts_with("--") ? implicit_value(i) : std::nullopt) {
      taken.push_back(argument + "=" + *value);
    } else if (is_list && is_known && command->positional.is_list && std::filesystem::exists(argument, error)) {
      taken.push_back("./" + argument);
    } else {
      taken.push_back(argument);
    }
  }
  std::ranges::reverse(taken);
  return taken;
}

// What the parser found: the command, and what was given to it.
struct Given {
  const Command* command = nullptr;
  std::vector<std::string> positionals;
  OptionTexts options;
};

// The option's value is the text as it was given: what it means is the declaration's.
void AddOption(const OptionDeclaration& option, CLI::App* app, Given* given) {
  const auto give = [given, name = option.name](const std::string& text) { given->options.emplace_back(name, text); };
  std::string names = option.flag();
  for (const std::string& alias : option.aliases) names += "," + OptionDeclaration::FlagOf(alias);
  CLI::Option* added = nullptr;
  if (option.type == OptionType::kFlag) {
    added = app->add_flag_callback(names, [give] { give(""); });
  } else {
    const auto give_all = [give](const std::vector<std::string>& texts) {
      for (const std::string& text : texts) give(text);
    };
    added = app->add_option_function<std::vector<std::string>>(names, give_all);
    if (!option.is_list) added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    added->allow_extra_args(option.takes_several());
  }
  added->required(option.is_required);
}

void AddCommand(const Command& command, CLI::App* app, Given* given) {
  CLI::App* added = app->add_subcommand(command.name);
  const Positional& positional = command.positional;
  CLI::Option* names = added->add_option(positional.name, given->positionals);
  names->required(positional.is_required);
  if (!positional.is_list) names->expected(1)->allow_extra_args(false);
  for (const OptionDeclaration& option : command.options) {
    if ((option.frontends & kOnCommandLine) != 0) AddOption(option, added, given);
  }
  added->callback([&command, given] { given->command = &command; });
}

// The help, or the version.
std::string AskedFor(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) return VersionText();
  const bool all = dynamic_cast<const CLI::CallForAllHelp*>(&error) != nullptr;
  const auto named = app.get_subcommands();
  if (named.empty()) return ProgramHelp(HelpStyleOfOutput());
  return CommandHelp(*std::ranges::find(Commands(), named.front()->get_name(), &Command::name), all,
                     HelpStyleOfOutput());
}

int Parse(const std::vector<std::string>& arguments, const RunHooks& hooks) {
  CLI::App app;
  app.set_version_flag("--version,-V", std::string(UZUSHIO_VERSION));
  app.set_help_all_flag("--help-all");
  app.require_subcommand(1);
  Given given;
  // Where the first argument names a command, no other is parsed: CLI11 need not hold the options of all.
  const auto named = arguments.empty() ? Commands().end() : std::ranges::find(Commands(), arguments[0], &Command::name);
  for (const Command& command : Commands()) {
    if (named == Commands().end() || &command == &*named) AddCommand(command, &app, &given);
  }
  try {
    app.parse(ForCli11(arguments));
  } catch (const CLI::ParseError& error) {
    const Console console(CommonOptions(), hooks);
    if (error.get_exit_code() != 0) return Report(console, UsageError(arguments, error));
    console.Print(AskedFor(app, error));
    return kExitDone;
  }
  return given.command->run(given.positionals, given.options, hooks);
}

}  // namespace

int RunApp(const std::vector<std::string>& arguments, const RunHooks& hooks) {
  const Console console(CommonOptions(), hooks);
  try {
    return Parse(arguments, hooks);
  } catch (...) {  // of a library, or memory has run out
    return Report(console, ExceptionStatus());
  }
}

}  // namespace uzushio
