// The program `uzushio`.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/common.h"
#include "cli/extract_command.h"

namespace {

// Pages come and go by the thousand: keeping what they free saves giving it back to the system and having it cleared
// again. What is kept this way counts in the memory that a stage is bound to.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
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
