// The program `uzushio`.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "cli/common.h"
#include "cli/extract_command.h"
#include "cli/filter_command.h"
#include "cli/metrics_command.h"
#include "cli/stats_command.h"
#include "cli/train_lm_command.h"

namespace {

// Pages come and go by the thousand: keeping what they free saves giving it back to the system and having it cleared
// again. What is kept this way counts in the memory that a stage is bound to.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
}

int Run(int argc, char** argv) {
  CLI::App app("Web archives to clean Japanese text for training language models.", "uzushio");
  app.set_version_flag("--version", UZUSHIO_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  int exit_code = uzushio::kExitDone;
  uzushio::AddExtractCommand(&app, &exit_code);
  uzushio::AddStatsCommand(&app, &exit_code);
  uzushio::AddMergeCommand(&app, &exit_code);
  uzushio::AddFilterCommand(&app, &exit_code);
  uzushio::AddMetricsCommand(&app, &exit_code);
  uzushio::AddExplainCommand(&app, &exit_code);
  uzushio::AddFiltersCommand(&app, &exit_code);
  uzushio::AddTrainLmCommand(&app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    if (argc > 1 && argv[1][0] != '-' &&
        app.get_subcommands([&](const CLI::App* command) { return command->get_name() == argv[1]; }).empty()) {
      std::fprintf(stderr, "uzushio: error: '%s' is no command; see uzushio --help\n", argv[1]);
      return uzushio::kExitUsage;
    }
    const std::string subcommand = app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
    std::fprintf(stderr, "uzushio: error: %s; see uzushio%s --help\n", error.what(), subcommand.c_str());
    return uzushio::kExitUsage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {  // of a library, or memory has run out
    std::fprintf(stderr, "uzushio: error: %s\n", error.what());
  } catch (...) {
    std::fputs("uzushio: error: unknown\n", stderr);
  }
  return uzushio::kExitFailed;
}
