#include "base/installation.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace uzushio {

namespace fs = std::filesystem;

namespace {

bool this_is_the_program = false;

}  // namespace

// The program is in the folder `bin` of the Python package, beside the module. A build has its files beside the
// program.
std::vector<fs::path> OwnFolders() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  fs::path module = program;
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&OwnFolders), &info) != 0 &&
      fs::path(info.dli_fname).extension() == ".so") {
    module = fs::path(info.dli_fname).parent_path();
  }
  return {module, program, program.parent_path()};
}

void ThisIsTheProgram() { this_is_the_program = true; }

arrow::Result<std::string> OwnProgram() {
  if (this_is_the_program) return "/proc/self/exe";  // also after an upgrade has replaced the file
  const std::vector<fs::path> folders = OwnFolders();
  for (const fs::path& folder : folders) {
    for (const fs::path& program : {folder / "bin" / "uzushio", folder / "uzushio"}) {
      std::error_code error;
      if (fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0) return program.string();
    }
  }
  return arrow::Status::IOError("there is no program ", (folders[0] / "bin" / "uzushio").string(),
                                "; the package is not installed whole");
}

std::vector<fs::path> PythonPackageFolders() {
  std::vector<fs::path> folders;
  if (const char* environment = std::getenv("VIRTUAL_ENV")) {
    std::error_code error;
    fs::directory_iterator entry(fs::path(environment) / "lib", error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      folders.push_back(entry->path() / "site-packages");
    }
  }
  for (const fs::path& own : OwnFolders()) {
    if (own.parent_path().filename() == "site-packages") folders.push_back(own.parent_path());
  }
  return folders;
}

}  // namespace uzushio
