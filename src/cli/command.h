// What a command is: its declaration, which every frontend reads, and what runs it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_plan.h"
#include "base/options.h"
#include "cli/common.h"

namespace uzushio {

// What is named without an option.
struct Positional {
  std::string name;
  std::string help;
  bool is_required = true;
  bool is_list = false;
  bool is_path = true;
  std::vector<std::string> (*names)() = nullptr;  // what it may be, where that is known; for completion
};

struct Command {
  std::string name;
  std::string summary;
  Positional positional;
  std::vector<OptionDeclaration> options;
  std::vector<std::string> examples;  // lines for a shell, which a test runs in order of the commands
  // Runs it, and returns the exit code. What is wrong goes to the hooks, or to standard error.
  std::function<int(const std::vector<std::string>& positionals, const OptionTexts& given, const RunHooks& hooks)> run;
  // The memory, in bytes, with which it runs on so many threads and not with less; none: it does not say.
  std::function<int64_t(const OptionTexts& given, int threads)> least_memory;
  // What is wrong with the options alone, where that is more than each declaration says; none: nothing more is.
  std::function<arrow::Status(const OptionTexts& given)> check;
  // Options that are not given whose defaults were others in earlier versions, with their values; none: there are none.
  std::function<nlohmann::json(const OptionTexts& given)> changed_defaults;
};

// All of them, in the order of the help; and the names of those that this program is built without.
const std::vector<Command>& Commands();
const std::vector<std::string>& CommandsLeftOut();

std::vector<std::string> CommandNames();

// That there is no command of this name, and which may be meant.
arrow::Status NoCommand(const std::string& name);

// Arguments are a struct with members `common` and `inputs`.
template <typename Arguments>
Command MakeCommand(const std::string& name, const std::string& summary, const Positional& positional,
                    const Options<Arguments>& options,
                    arrow::Result<int> (*run)(Arguments* arguments, const Console& console)) {
  Command command = {name, summary, positional, options.declarations(), {}, nullptr, nullptr};
  command.run = [options, run](const std::vector<std::string>& positionals, const OptionTexts& given,
                               const RunHooks& hooks) {
    Arguments arguments;
    arguments.inputs = positionals;
    const arrow::Status status = options.Set(given, &arguments);
    if constexpr (requires { arguments.config; }) static_cast<RunOptions&>(arguments.config) = arguments.common;
    const Console console(arguments.common, hooks);
    const arrow::Result<int> code = status.ok() ? run(&arguments, console) : status;
    return code.ok() ? *code : Report(console, code.status());
  };
  return command;
}

inline Command WithExamples(Command command, const std::vector<std::string>& examples) {
  command.examples = examples;
  return command;
}

inline Command WithMemory(Command command, FixedMemory least) {
  command.least_memory = [least](const OptionTexts&, int threads) { return least.With(threads); };
  return command;
}

// The same where it depends on the options, which are those of `least(arguments, threads)`.
template <typename Arguments>
Command WithMemory(Command command, const Options<Arguments>& options, int64_t (*least)(const Arguments&, int)) {
  command.least_memory = [options, least](const OptionTexts& given, int threads) {
    Arguments arguments;
    return options.Set(given, &arguments).ok() ? least(arguments, threads) : 0;  // it says itself what is wrong
  };
  return command;
}

template <typename Arguments>
Command WithCheck(Command command, const Options<Arguments>& options, arrow::Status (*check)(Arguments*)) {
  command.check = [options, check](const OptionTexts& given) {
    Arguments arguments;
    ARROW_RETURN_NOT_OK(options.Set(given, &arguments));
    return check(&arguments);
  };
  return command;
}

// The command without options on Spark, where it does not run.
inline Command NotOnSpark(Command command) {
  for (OptionDeclaration& option : command.options) option.frontends &= ~unsigned{kOnSpark};
  return command;
}

nlohmann::ordered_json ToJson(const Command& command);

}  // namespace uzushio
