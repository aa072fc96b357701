#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <sstream>

#include "base/guard.h"
#include "cli/extract_command.h"
#include "cli/filter_command.h"
#include "cli/metrics_command.h"
#include "cli/stats_command.h"
#include "cli/train_lm_command.h"

namespace uzushio {
namespace {

// What is wrong with arguments that can not be parsed.
arrow::Status UsageError(const CLI::App& app, const std::vector<std::string>& arguments, const CLI::Error& error) {
  const std::string first = arguments.empty() ? "" : arguments[0];
  const bool known =
      !app.get_subcommands([&first](const CLI::App* command) { return command->get_name() == first; }).empty();
  if (!arguments.empty() && !first.starts_with('-') && !known) {
    return arrow::Status::Invalid("'", first, "' is no command; see uzushio --help");
  }
  const std::string command = app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
  return arrow::Status::Invalid(error.what(), "; see uzushio", command, " --help");
}

// In reverse. Among arguments of which there may be many, CLI11 takes `[a]` for a list; files may be called so.
std::vector<std::string> ForCli11(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  for (std::string& argument : reversed) {
    std::error_code error;
    const bool is_list = argument.starts_with('[') && argument.ends_with(']');
    if (is_list && std::filesystem::exists(argument, error)) argument.insert(0, "./");
  }
  return reversed;
}

int Parse(const std::vector<std::string>& arguments, CommandRun* run) {
  CLI::App app("Web archives to clean Japanese text for training language models.", "uzushio");
  app.set_version_flag("--version", UZUSHIO_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  AddExtractCommand(&app, run);
  AddStatsCommand(&app, run);
  AddMergeCommand(&app, run);
  AddFilterCommand(&app, run);
  AddMetricsCommand(&app, run);
  AddExplainCommand(&app, run);
  AddFiltersCommand(&app, run);
  AddTrainLmCommand(&app, run);
  try {
    app.parse(ForCli11(arguments));
  } catch (const CLI::ParseError& error) {
    const Console console(CommonOptions(), run->hooks);
    if (error.get_exit_code() != 0) return Report(console, UsageError(app, arguments, error));
    std::ostringstream help;  // or the version
    app.exit(error, help, help);
    console.Print(help.str());
  }
  return run->exit_code;
}

}  // namespace

int RunApp(const std::vector<std::string>& arguments, RunHooks hooks) {
  CommandRun run{.hooks = std::move(hooks)};
  const Console console(CommonOptions(), run.hooks);
  try {
    return Parse(arguments, &run);
  } catch (...) {  // of a library, or memory has run out
    return Report(console, ExceptionStatus());
  }
}

}  // namespace uzushio
