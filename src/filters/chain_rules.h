// How a chain removes documents, as data that a mark keeps: dictionaries, models and lists are not needed to read it.
#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filters/removal_rule.h"

namespace uzushio {

class FilterChain;

// One filter. The metrics of its rule are places among the chain's columns.
struct StepRule {
  std::string filter;
  std::string kind;           // documents, paragraphs, rewrites
  nlohmann::json parameters;  // all, defaults too
  RemovalRule rule;
};

// A list of objects: `class`, `kind`, `parameters`; `thresholds`, each with `parameter` (empty: none moves it),
// `column`, `removes`, `value`, the `least` and `most` of the parameter or null, `integer`, and what comparing takes
// (`float`, `single`, `margin`); `random` and `normal`, objects or null.
nlohmann::json RulesOf(const FilterChain& chain);

// The same again. `columns` is how many there are. Errors: it is no such list.
arrow::Result<std::vector<StepRule>> ReadRules(const nlohmann::json& json, size_t columns);

}  // namespace uzushio
