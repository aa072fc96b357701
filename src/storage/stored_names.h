// What files of an output are called on a store.
#pragma once

#include <string>

namespace uzushio {

// A hash that the manifest has under this key is in the names of the files, as `part-00000-1f3a9c02.parquet` and
// `.uzushio/1f3a9c02/quarantine/…`: files of two runs lie beside each other.
inline constexpr const char* kNameHash = "name_hash";

// The name of a file that is called `path` in a local output.
std::string StoredName(const std::string& path, const std::string& hash);

}  // namespace uzushio
