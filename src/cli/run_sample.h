// A pipeline on a small part of its input, to know what all of it would cost.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/common.h"
#include "cli/run_pipeline.h"

namespace uzushio {

// What one step cost on a sample.
struct SampledStep {
  int64_t input_bytes = 0;  // of others' files, cut as they are: its own, and those of the steps that it stands on
  int64_t output_bytes = 0;
  double thread_seconds = 0;  // of all threads that had something to do
};

// By stage. Runs the first step of each in a temporary folder, on `bytes` of one file in the middle of its input.
// Errors: an input can not be cut, or a command fails on the sample.
arrow::Result<std::vector<SampledStep>> RunSample(const Pipeline& pipeline, const CommonOptions& common, int64_t bytes);

}  // namespace uzushio
