#include "filters/preset.h"

#include <dlfcn.h>

#include <system_error>

namespace uzushio {

namespace fs = std::filesystem;

// Presets lie in the Python package: beside the module, and above the program, which is in its folder `bin`. A build
// has them beside the program.
fs::path FindChainFile(const std::string& name) {
  std::error_code error;
  if (fs::exists(name, error) || name.find('/') != std::string::npos) return name;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  fs::path module = program;
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&FindChainFile), &info) != 0 &&
      fs::path(info.dli_fname).extension() == ".so") {
    module = fs::path(info.dli_fname).parent_path();
  }
  for (const fs::path& folder : {module, program, program.parent_path()}) {
    const fs::path preset = folder / "presets" / name;
    if (fs::is_regular_file(preset, error)) return preset;
  }
  return name;
}

}  // namespace uzushio
