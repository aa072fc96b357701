#include "storage/output_folder.h"

#include <utility>

#include "base/json.h"
#include "storage/inputs.h"
#include "storage/local_output.h"
#include "storage/opened_outputs.h"
#include "storage/store_output.h"

namespace uzushio {

nlohmann::json IdentityAsNoted(nlohmann::json identity) {
  if (identity.is_string()) return WithoutCredentials(identity.get_ref<const std::string&>());
  if (identity.is_structured()) {
    for (nlohmann::json& member : identity) member = IdentityAsNoted(std::move(member));
  }
  return identity;
}

arrow::Result<std::unique_ptr<OutputFolder>> OutputFolder::Open(const std::filesystem::path& place,
                                                                const nlohmann::json& given, bool overwrite,
                                                                const std::string& tmp) {
  const nlohmann::json run = IdentityAsNoted(given);
  if (const OpenedListener& listener = OpenedScope::Current()) ARROW_RETURN_NOT_OK(listener(place, run));
  if (IsOnStore(place.string())) return StoreOutput::Open(place.string(), run, overwrite, tmp);
  return LocalOutput::Open(place, run, overwrite);
}

arrow::Result<nlohmann::json> OutputFolder::Counts() const {
  const nlohmann::json& counts = MemberOf(success_, "counts");
  if (counts.is_object()) return counts;
  return arrow::Status::Invalid("the manifest of the output is damaged: it has no counts");
}

}  // namespace uzushio
