// What the stages filter, metrics and hosts declare alike.
#pragma once

#include <string>

#include "base/options.h"
#include "filters/chain.h"
#include "stages/filter/kernel.h"

namespace uzushio {

Options<FilterKernelOptions> DeclaredColumns();

// How Spark's executors get statistics.
struct SparkIndex {
  std::string index = "file";
};
Options<SparkIndex> DeclaredSparkIndex();

// What a run's identity has of a chain: its filters, and the checksums of files that these read, where they read any.
nlohmann::json ChainIdentity(const FilterChain& chain);

}  // namespace uzushio
