// Where the program or module lies, and what is installed beside it.
#pragma once

#include <filesystem>
#include <vector>

namespace uzushio {

// The folders that files of ours are installed in: the Python package's, or, in a build, the program's.
std::vector<std::filesystem::path> OwnFolders();

// The folders `site-packages` of Python whose packages we may use: of the active virtual environment, and the one that
// we are installed in. They may not exist.
std::vector<std::filesystem::path> PythonPackageFolders();

}  // namespace uzushio
