// Options from Python, which gives them as JSON.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/options.h"
#include "bindings/interop.h"

namespace uzushio::python {

// Those of `json` that `options` declares; the others have their defaults. Raises UsageError.
template <typename Arguments>
Arguments Picked(const Options<Arguments>& options, const nlohmann::json& json) {
  nlohmann::json picked = nlohmann::json::object();
  for (const OptionDeclaration& option : options.declarations()) {
    std::string name = option.name;
    std::ranges::replace(name, '-', '_');
    if (const auto found = json.find(name); found != json.end()) picked[name] = *found;
  }
  Arguments arguments;
  Check(options.Set(Value(GivenBy(picked, options.declarations())), &arguments));
  return arguments;
}

}  // namespace uzushio::python
