// The chain whose metrics are wanted, as `uzushio metrics` is told it.
#pragma once

#include <arrow/result.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "filters/chain.h"

namespace uzushio {

struct MetricsChain {
  std::string config;                             // a file, as FilterChain::Read takes it
  std::map<std::string, std::string> properties;  // for it
  std::vector<std::string> metrics;               // instead: names of filters or metrics, by the filters' defaults
  std::string tokenizer;                          // the parameter of that name, for those which have it

  // Errors name the option.
  arrow::Result<std::unique_ptr<FilterChain>> Make() const;
};

}  // namespace uzushio
