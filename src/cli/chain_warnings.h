// What is odd of a configuration, and no error.
#pragma once

#include <string>

#include "cli/common.h"
#include "filters/filter.h"
#include "filters/hocon.h"
#include "stages/filter/needs_statistics.h"

namespace uzushio {

// Of each include of a configuration, and of those that it includes, whose file is not there.
inline void WarnOfIncludes(const Console& console, const std::string& configuration) {
  for (const std::string& warning : MissingIncludes(configuration)) console.Warning(warning);
}

// Of filters that find nothing where there are no statistics; `statistics` is the folder that was given, or empty.
inline void WarnWithoutStatistics(const Console& console, const FilterChain& chain, const std::string& statistics) {
  if (!statistics.empty()) return;
  if (const std::string warning = WithoutStatisticsWarning(chain); !warning.empty()) console.Warning(warning);
}

// What filters warn of.
inline void WarnOfFilters(const Console& console, const FilterChain& chain) {
  for (const FilterChain::Step& step : chain.steps()) {
    if (const std::string warning = step.filter->Warning(); !warning.empty()) {
      console.Warning(step.name() + ": " + warning);
    }
  }
}

}  // namespace uzushio
