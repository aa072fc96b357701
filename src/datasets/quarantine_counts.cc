#include "datasets/quarantine_counts.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace uzushio {

arrow::Status ReadQuarantined(const nlohmann::json& counts, Counters* quarantined) {
  const nlohmann::json& reasons = MemberOf(counts, "quarantined");
  if (!reasons.is_object()) return arrow::Status::Invalid("damaged counts of an earlier run: no quarantined");
  for (const auto& [reason, count] : reasons.items()) {
    if (!count.is_number_integer()) {
      return arrow::Status::Invalid("damaged counts of an earlier run: no number of ", reason);
    }
    quarantined->Add(reason, count.get<int64_t>());
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
