// Warnings of configurations that include files that are not there.
#pragma once

#include <string>

#include "cli/common.h"
#include "filters/hocon.h"

namespace uzushio {

// Of each such include of a configuration, and of those that it includes.
inline void WarnOfIncludes(const Console& console, const std::string& configuration) {
  for (const std::string& warning : MissingIncludes(configuration)) console.Warning(warning);
}

}  // namespace uzushio
