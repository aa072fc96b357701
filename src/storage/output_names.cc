#include "storage/output_names.h"

#include "storage/local_files.h"

namespace uzushio {

arrow::Result<std::filesystem::path> FindInOutput(const std::filesystem::path& folder, const OutputName& name) {
  std::filesystem::path place = folder / name.path;
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(place));
  if (there) return place;
  std::filesystem::path old_place = folder / name.old_path;
  ARROW_ASSIGN_OR_RAISE(const bool is_old, PathExists(old_place));
  return is_old ? old_place : place;
}

arrow::Result<bool> HasManifest(const std::filesystem::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const std::filesystem::path manifest, FindInOutput(folder, kManifestName));
  return PathExists(manifest);
}

arrow::Result<nlohmann::json> ReadManifestOf(const std::filesystem::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const std::filesystem::path manifest, FindInOutput(folder, kManifestName));
  return ReadJsonObject(manifest);
}

}  // namespace uzushio
