// The program `uzushio`.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/common.h"
#include "cli/extract_command.h"

int main(int argc, char** argv) {
  CLI::App app("Web archives to clean Japanese text for training language models.", "uzushio");
  app.set_version_flag("--version", UZUSHIO_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  int exit_code = uzushio::kExitDone;
  uzushio::AddExtractCommand(&app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::fprintf(stderr, "uzushio: error: %s; see uzushio%s --help\n", error.what(), argc > 1 && argv[1][0] != '-' ? (std::string(" ") + argv[1]).c_str() : "");
    return uzushio::kExitUsage;
  } catch (const std::exception& error) {  // of a library, or memory has run out
    std::fprintf(stderr, "uzushio: error: %s\n", error.what());
    return uzushio::kExitFailed;
  }
  return exit_code;
}
