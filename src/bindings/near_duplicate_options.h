// The options of a search for near-duplicates, from Python.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "statistics/search.h"

namespace uzushio::python {

// A whole number of the options, within bounds. Raises UsageError, which names the option.
std::optional<int64_t> WholeNumber(const nlohmann::json& json, const char* name, int64_t least, int64_t most);

// `candidates`, `groups`, `rotations` and `window`; those that lack have their defaults. Raises UsageError.
NearDuplicateOptions NearDuplicateOptionsOf(const nlohmann::json& json);

}  // namespace uzushio::python
