// The parts of a page that are not about metrics: corpora, groups of near-duplicates, overlaps.
#pragma once

#include <arrow/status.h>

#include <nlohmann/json.hpp>

#include "stages/report/report.h"

namespace uzushio {

// Sets `corpora`, `groups` and `overlap` of the page's data, from outputs of the stages that have them. Errors: a file
// that can not be read, or is missing; a full disk, where --tmp is.
arrow::Status AddSections(const ReportConfig& config, const ReportProgress& on_progress, nlohmann::json* data);

}  // namespace uzushio
