// Filters of duplicates that are given no statistics.
#pragma once

#include <string>

#include "filters/chain.h"

namespace uzushio {

// A warning that names the filters of a chain whose metrics depend on frequencies of paragraphs, for runs without
// statistics; empty where there are none.
std::string WithoutStatisticsWarning(const FilterChain& chain);

}  // namespace uzushio
