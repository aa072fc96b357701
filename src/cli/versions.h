// Which program this is.
#pragma once

#include <string>

namespace uzushio {

// The program's version, in its first line, those of the libraries that it works with, and the instructions that it
// uses on this machine.
std::string VersionText();

}  // namespace uzushio
