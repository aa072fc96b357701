// The chain whose metrics are wanted, as `uzushio metrics` is told it.
#pragma once

#include <arrow/result.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "filters/chain.h"
#include "filters/chain_file.h"

namespace uzushio {

struct MetricsChain {
  std::string config;                             // a file, as FilterChain::Read takes it
  std::map<std::string, std::string> properties;  // for it
  std::vector<std::string> metrics;               // instead: names of filters or metrics, by the filters' defaults
  std::string tokenizer;                          // the parameter of that name, for those which have it

  // Filters of the file whose models or word lists are missing are left out, and added to `missing`. Errors name the
  // option. `memory` is as FilterChain::Read takes it.
  arrow::Result<std::unique_ptr<FilterChain>> Make(std::vector<MissingFilter>* missing, int64_t memory = 0) const;
};

// What a summary says of filters that were left out.
nlohmann::ordered_json LeftOutOfMetrics(const std::vector<MissingFilter>& missing);

}  // namespace uzushio
