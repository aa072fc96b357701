// JSON that others may have written.
#pragma once

#include <nlohmann/json.hpp>

namespace uzushio {

// A value of an object; null where there is none, or `json` is no object.
inline const nlohmann::json& MemberOf(const nlohmann::json& json, const char* key) {
  static const nlohmann::json kNull;
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() ? kNull : *found;
}

}  // namespace uzushio
