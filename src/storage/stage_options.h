// What stages take that read files and write an output, declared once for all of them.
#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "base/resources.h"
#include "storage/inputs.h"

namespace uzushio {

// How a command runs.
struct RunOptions : Resources {
  bool overwrite = false;  // an existing output is replaced
};

struct StageOptions : RunOptions {
  std::vector<InputFile> inputs;
  std::string output;
  std::string tmp;                // folder for temporary data
  bool allow_incomplete = false;  // outputs of unfinished runs are read, too
};

// --output, of a stage that writes a folder, or one file.
Options<StageOptions> DeclaredOutputFolder();
Options<StageOptions> DeclaredOutputFile();
// --tmp; `of` says whose data, where they are not any: " of the index".
Options<StageOptions> DeclaredTmp(const std::string& of = "");
Options<StageOptions> DeclaredAllowIncomplete();

}  // namespace uzushio
