#include "filters/preset.h"

#include <algorithm>
#include <system_error>

#include "base/installation.h"

namespace uzushio {

namespace fs = std::filesystem;

fs::path FindPresetFile(const std::string& name) {
  std::error_code error;
  if ((fs::exists(name, error) && !fs::is_directory(name, error)) || name.find('/') != std::string::npos) return name;
  for (const fs::path& folder : OwnFolders()) {
    const fs::path preset = folder / "presets" / name;
    if (fs::is_regular_file(preset, error)) return preset;
  }
  return name;
}

std::vector<std::string> InstalledChains() {
  std::vector<std::string> names;
  for (const fs::path& folder : OwnFolders()) {
    std::error_code error;
    for (fs::directory_iterator entry(folder / "presets", error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (entry->path().extension() == ".conf") names.push_back(entry->path().stem().string());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());  // a build has them in two places
  return names;
}

fs::path FindChainFile(const std::string& name) {
  fs::path found = FindPresetFile(name);
  if (found != name) return found;
  std::error_code error;
  if (fs::exists(name, error) && !fs::is_directory(name, error)) return name;
  const fs::path with_ending = FindPresetFile(name + ".conf");
  return with_ending == name + ".conf" ? fs::path(name) : with_ending;
}

std::optional<fs::path> FindPipelineFile(const std::string& name) {
  for (const fs::path& folder : OwnFolders()) {
    std::error_code error;
    fs::path file = folder / "presets" / "pipelines" / (name + ".conf");
    if (fs::is_regular_file(file, error)) return file;
  }
  return std::nullopt;
}

}  // namespace uzushio
