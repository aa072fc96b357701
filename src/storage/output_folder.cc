#include "storage/output_folder.h"

#include "base/json.h"
#include "storage/local_output.h"
#include "storage/store_output.h"

namespace uzushio {

arrow::Result<std::unique_ptr<OutputFolder>> OutputFolder::Open(const std::filesystem::path& place,
                                                                const nlohmann::json& run, bool overwrite,
                                                                const std::string& tmp) {
  if (IsOnStore(place.string())) return StoreOutput::Open(place.string(), run, overwrite, tmp);
  return LocalOutput::Open(place, run, overwrite);
}

arrow::Result<nlohmann::json> OutputFolder::Counts() const {
  const nlohmann::json& counts = MemberOf(success_, "counts");
  if (counts.is_object()) return counts;
  return arrow::Status::Invalid("the manifest of the output is damaged: it has no counts");
}

}  // namespace uzushio
