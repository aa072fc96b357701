// Where the program or module lies, and what is installed beside it.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <string>
#include <vector>

namespace uzushio {

// The folders that files of ours are installed in: the Python package's, or, in a build, the program's.
std::vector<std::filesystem::path> OwnFolders();

// Says that this process runs the program `uzushio` itself, not the Python module or a test; before other threads
// start.
void ThisIsTheProgram();

// The path of the program `uzushio`, for work in a process of its own: this process's, or that which is installed with
// the module. Errors: it is not there.
arrow::Result<std::string> OwnProgram();

// The folders `site-packages` of Python whose packages we may use: of the active virtual environment, and the one that
// we are installed in. They may not exist.
std::vector<std::filesystem::path> PythonPackageFolders();

}  // namespace uzushio
