// Where the steps of a pipeline write, and what others read there by a path.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_step.h"
#include "pipeline/pipeline_file.h"

namespace uzushio {

// The outputs of all steps. A step that reads one of another has to name its stage, or the two would run side by side,
// on what was there before.
class StepPlaces {
 public:
  static arrow::Result<StepPlaces> Of(const PipelineFile& file, const std::filesystem::path& output);

  // Errors: the path, or a file URI, lies in the output of another step; they say what to write. Of a chain, its own
  // output too.
  arrow::Status CheckPath(const PipelineFile& file, size_t step, const NamedPath& path) const;
  // The same of the files that were found for its inputs, which it has by `key`; they may be of steps whose stage it
  // names.
  arrow::Status CheckFiles(const PipelineFile& file, size_t step, const std::string& key,
                           const std::vector<InputFile>& files) const;
  // Whether a pattern begins above an output.
  arrow::Result<bool> MayMatch(const std::string& pattern) const;

 private:
  struct Found {
    size_t step = 0;
    std::string below;  // "/…"; empty: the output
  };
  std::optional<Found> Find(const std::filesystem::path& path) const;

  std::map<std::filesystem::path, size_t> steps_;  // by their outputs, without links
};

}  // namespace uzushio
