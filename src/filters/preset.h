// Chains that are installed with the program.
#pragma once

#include <filesystem>
#include <string>

namespace uzushio {

// The file that `--config` means: the one of this path, or, if there is none and it is a mere name, the chain of this
// name that was installed (presets/ in the sources). What is neither is given back as it is.
std::filesystem::path FindChainFile(const std::string& name);

}  // namespace uzushio
