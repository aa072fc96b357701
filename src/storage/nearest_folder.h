// The folder of several that a path lies in.
#pragma once

#include <filesystem>

namespace uzushio {

// The entry of the nearest folder that is the path or is above it, in a map by folders; its end where there is none.
// Paths are as CanonicalPath has them. Takes a look-up for each part of the path, however many folders there are.
template <typename Map>
Map::const_iterator FindNearestFolder(const Map& folders, const std::filesystem::path& path) {
  for (std::filesystem::path above = path; above.has_relative_path(); above = above.parent_path()) {
    if (const auto found = folders.find(above); found != folders.end()) return found;
  }
  return folders.end();
}

}  // namespace uzushio
