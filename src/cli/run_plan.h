// What a run of a pipeline would do, and what it would cost.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/common.h"
#include "cli/run_pipeline.h"
#include "cli/run_steps.h"

namespace uzushio {

// For each stage, how many of its steps are done and why others would run; time and disk, in proportion to those of the
// first step of each stage on `sample` bytes of its input, which is run in a temporary folder, and with as many steps
// side by side as a run would have. Nothing is written to the pipeline's output. Of Spark, it is told
// what runs there; times are those of this machine.
arrow::Result<nlohmann::ordered_json> PlanPipeline(const Pipeline& pipeline, const CommonOptions& common,
                                                   const RunSteps& how, int64_t sample);

// The plan for a reader.
std::string PlanText(const nlohmann::ordered_json& plan);

}  // namespace uzushio
