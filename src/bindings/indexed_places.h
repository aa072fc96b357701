// What stands before the names of files in an index, as Spark's driver tells it.
#pragma once

#include <nlohmann/json.hpp>

#include "stages/extract/index_plan.h"

namespace uzushio::python {

inline IndexedPlaces PlacesOf(const nlohmann::json& json) {
  return {json.at("base"), json.at("folder"), json.at("root")};
}

}  // namespace uzushio::python
