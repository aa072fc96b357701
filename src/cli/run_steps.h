// Running the steps of a pipeline, several at once.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/common.h"
#include "cli/run_pipeline.h"
#include "cli/spark_driver.h"
#include "pipeline/schedule.h"

namespace uzushio {

// What all steps of a run have together. Memory is bounded by it where the user says so: a step that is alone is given
// no bound otherwise.
StepShare WholeShare(const CommonOptions& common);
// What a step on so many bytes of input is to have of it.
StepNeed NeedOf(const PreparedStep& step, int64_t bytes, const CommonOptions& common);
// By step, those that it stands on.
std::vector<std::vector<size_t>> SourcesOf(const Pipeline& pipeline);

// Where and how the steps of a run work.
struct RunSteps {
  size_t at_once = 1;  // at most
  std::optional<SparkSettings> spark;
};

// Runs what is not done. Steps that do not stand on one another run side by side, within the threads and the memory
// of `common`; on Spark, which has its own, and where steps that it has no command for run here, one at a time. After
// an error none is begun, and those at work come to their end. `_summary.json` has what each step said when it was run.
// The summary of all; errors: that of the first step, in order, that had one.
arrow::Result<nlohmann::ordered_json> RunPipeline(const Pipeline& pipeline, const CommonOptions& common,
                                                  const RunSteps& how, const Console& console);

// Of a step whose place has an output that nothing is known of (StepState::kNew): whether it is that of the run which
// the step would be, as the step says before it writes anything. Errors: it is another's. Where the step can not say
// it, as what it reads is not there yet, there is none.
arrow::Status CheckIsOwn(const Pipeline& pipeline, size_t step, const RunRecord& record, const PlacedOutput& placed,
                         const std::filesystem::path& local, const CommonOptions& common);

// Runs the command of a step, whatever is known of it. Its chain is written to the folder `local`, which is the
// output where that is local. The summary that it gives. Errors say the step's `place`.
arrow::Result<nlohmann::ordered_json> RunStep(const PreparedStep& step, const std::string& place,
                                              const std::filesystem::path& output, const std::filesystem::path& local,
                                              const CommonOptions& common, bool overwrite, const RunHooks& hooks);

}  // namespace uzushio
