// Options from Python, which gives them as JSON.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/options.h"
#include "bindings/interop.h"

namespace uzushio::python {

// The name of an option in Python.
inline std::string KeywordOf(const OptionDeclaration& option) {
  std::string name = option.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

// The names in Python of all options of a kernel on Spark.
template <typename Arguments>
std::vector<std::string> KeywordsOf(const Options<Arguments>& options) {
  std::vector<std::string> names;
  for (const OptionDeclaration& option : options.declarations()) {
    if ((option.frontends & kOnSpark) != 0) names.push_back(KeywordOf(option));
  }
  return names;
}

// Those of `json` that `options` declares; the others have their defaults. Raises UsageError.
template <typename Arguments>
Arguments Picked(const Options<Arguments>& options, const nlohmann::json& json) {
  nlohmann::json picked = nlohmann::json::object();
  for (const OptionDeclaration& option : options.declarations()) {
    const std::string name = KeywordOf(option);
    if (const auto found = json.find(name); found != json.end()) picked[name] = *found;
  }
  Arguments arguments;
  Check(options.Set(Value(GivenBy(picked, options.declarations())), &arguments));
  return arguments;
}

}  // namespace uzushio::python
