#include "storage/output_names.h"

#include "base/json.h"
#include "storage/local_files.h"
#include "storage/stored_names.h"

namespace uzushio {

std::string StoredName(const std::string& path, const std::string& hash) {
  const std::string own = std::string(kOwnFolder) + "/";
  if (path.starts_with(own)) return own + hash + "/" + path.substr(own.size());
  const size_t dot = path.find('.', path.rfind('/') + 1);
  const size_t at = dot == std::string::npos ? path.size() : dot;
  return path.substr(0, at) + "-" + hash + path.substr(at);
}

arrow::Result<std::filesystem::path> FindInOutput(const std::filesystem::path& folder, const OutputName& name) {
  std::filesystem::path place = folder / name.path;
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(place));
  if (there) return place;
  std::filesystem::path old_place = folder / name.old_path;
  ARROW_ASSIGN_OR_RAISE(const bool is_old, PathExists(old_place));
  if (is_old) return old_place;
  const auto manifest = ReadJsonObject(folder / kManifestName.path);
  const nlohmann::json& hash = manifest.ok() ? MemberOf(*manifest, kNameHash) : nlohmann::json();
  if (!hash.is_string()) return place;
  std::filesystem::path stored = folder / StoredName(name.path, hash.get<std::string>());
  ARROW_ASSIGN_OR_RAISE(const bool is_stored, PathExists(stored));
  return is_stored ? stored : place;
}

arrow::Result<bool> HasManifest(const std::filesystem::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const std::filesystem::path manifest, FindInOutput(folder, kManifestName));
  return PathExists(manifest);
}

arrow::Result<nlohmann::json> ReadManifestOf(const std::filesystem::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const std::filesystem::path manifest, FindInOutput(folder, kManifestName));
  return ReadJsonObject(manifest);
}

std::filesystem::path FinishedOutputAround(const std::filesystem::path& folder) {
  for (std::filesystem::path above = folder;; above = above.parent_path()) {
    const auto manifest = ReadManifestOf(above);
    if (manifest.ok() && !MemberOf(*manifest, "run").is_null()) return above;
    if (!above.has_relative_path()) return {};
  }
}

}  // namespace uzushio
