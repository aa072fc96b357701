#include "storage/stage_options.h"

namespace uzushio {

Options<StageOptions> DeclaredOutputFolder() {
  return Options<StageOptions>().Path("output", &StageOptions::output, "DIR", "Folder to create").NotInIdentity();
}

Options<StageOptions> DeclaredOutputFile() {
  return Options<StageOptions>().Path("output", &StageOptions::output, "FILE", "File to create").NotInIdentity();
}

Options<StageOptions> DeclaredTmp(const std::string& of) {
  return Options<StageOptions>()
      .Path("tmp", &StageOptions::tmp, "DIR", "Folder for temporary data" + of + " (default: beside the output)")
      .Frontends(kOnCommandLine | kInPython)
      .NotInIdentity();
}

Options<StageOptions> DeclaredAllowIncomplete() {
  return Options<StageOptions>()
      .Flag("allow-incomplete", &StageOptions::allow_incomplete, "Also read outputs of unfinished runs")
      .NotInIdentity();
}

}  // namespace uzushio
