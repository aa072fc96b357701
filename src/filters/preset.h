// Files that are installed with the program: chains, and what they read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace uzushio {

// The file that a name means: the one of this path, or, if there is none and it is a mere name, the one of this name
// that was installed (presets/ in the sources). What is neither is given back as it is.
std::filesystem::path FindPresetFile(const std::string& name);

// The chains that are installed, by name, in order.
std::vector<std::string> InstalledChains();

// The same for `--config`, where the installed `chitra.conf` may be called `chitra`.
std::filesystem::path FindChainFile(const std::string& name);

// The pipeline of this name that is installed; nothing where there is none.
std::optional<std::filesystem::path> FindPipelineFile(const std::string& name);

}  // namespace uzushio
