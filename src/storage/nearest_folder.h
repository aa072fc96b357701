// The folder of several that a path lies in.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <string>

#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/store_place.h"

namespace uzushio {

// A path, or a URI of a store, by one name: of paths without links.
inline arrow::Result<std::filesystem::path> OneNameOf(const std::string& place) {
  if (IsOnStore(place)) return std::filesystem::path(StoreName(place)).lexically_normal();
  return CanonicalPath(PathOfName(place));
}

// The entry of the nearest folder that is the path or is above it, in a map by folders; its end where there is none.
// Paths are as OneNameOf has them. Takes a look-up for each part of the path, however many folders there are.
template <typename Map>
auto FindNearestFolder(const Map& folders, const std::filesystem::path& path) {
  for (std::filesystem::path above = path; above.has_relative_path(); above = above.parent_path()) {
    if (const auto found = folders.find(above); found != folders.end()) return found;
  }
  return folders.end();
}

}  // namespace uzushio
