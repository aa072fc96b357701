// How records become documents, and documents become fewer, by the counts of marks.
#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "stages/report/report_output.h"

namespace uzushio {

// A list of objects in the order of the flow: `label`, `stage` (a place among the outputs), `kind` (input, rejected,
// removed, output), `step` and `class` of a filter; and `records`, `documents`, `paragraphs`, `characters` and `bytes`,
// null where they are not known. Outputs of stages that remove nothing have none. Errors: a mark is damaged.
arrow::Result<nlohmann::json> FunnelOf(const std::vector<ReportOutput>& outputs);

}  // namespace uzushio
