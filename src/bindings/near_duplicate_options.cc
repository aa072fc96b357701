#include "bindings/near_duplicate_options.h"

#include <array>
#include <string>

#include "bindings/interop.h"

namespace uzushio::python {
namespace {

// Whether an option is the second of two names.
bool IsSecond(const nlohmann::json& json, const char* option, const std::array<const char*, 2>& names) {
  const auto found = json.find(option);
  if (found == json.end() || *found == names[0]) return false;
  if (*found == names[1]) return true;
  Raise(arrow::Status::Invalid(option, ": ", found->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                               " is none of ", names[0], ", ", names[1]));
}

}  // namespace

std::optional<int64_t> WholeNumber(const nlohmann::json& json, const char* name, int64_t least, int64_t most) {
  const auto found = json.find(name);
  if (found == json.end()) return std::nullopt;
  const bool fits = found->is_number_integer() && found->get<double>() < 9.2e18;
  if (fits && found->get<int64_t>() >= least && found->get<int64_t>() <= most) return found->get<int64_t>();
  Raise(arrow::Status::Invalid(name, ": ", found->dump(), " is no whole number between ", least, " and ", most));
}

NearDuplicateOptions NearDuplicateOptionsOf(const nlohmann::json& json) {
  NearDuplicateOptions options;
  if (IsSecond(json, "candidates", {"buckets", "simhash"})) options.candidates = CandidateMethod::kSimHash;
  if (IsSecond(json, "groups", {"pivot", "components"})) options.groups = GroupMethod::kComponents;
  options.rotations = static_cast<int>(WholeNumber(json, "rotations", 1, 64).value_or(options.rotations));
  options.window = static_cast<int>(WholeNumber(json, "window", 1, 1 << 20).value_or(options.window));
  return options;
}

}  // namespace uzushio::python
