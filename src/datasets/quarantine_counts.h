// What an earlier run has said of the records that it quarantined.
#pragma once

#include <arrow/status.h>

#include <nlohmann/json_fwd.hpp>

#include "base/counters.h"

namespace uzushio {

// Adds what the counts of a manifest say to be quarantined, by reason. Errors: they are damaged.
arrow::Status ReadQuarantined(const nlohmann::json& counts, Counters* quarantined);

}  // namespace uzushio
