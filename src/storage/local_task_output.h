// An output on a local or mounted file system whose files are written by tasks of an engine.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "storage/hashed_file.h"
#include "storage/local_output.h"
#include "storage/task_output.h"

namespace uzushio {

// Tasks write to a folder in the work of a LocalOutput (storage/local_output.h). Commit moves the files up, syncs them,
// and commits that. Without checksums of the files, those of Hadoop's local file system go.
class LocalTaskOutput final : public TaskOutput {
 public:
  // `run` identifies the run, as for OutputFolder::Open. folder() is an absolute path. Errors: as OutputFolder::Open.
  static arrow::Result<std::unique_ptr<TaskOutput>> Open(const std::filesystem::path& path, const nlohmann::json& run,
                                                         bool overwrite);
  ~LocalTaskOutput() override;

  arrow::Status Commit(nlohmann::json success, std::vector<std::string> sources) override;
  arrow::Status Close() override;

 private:
  explicit LocalTaskOutput(std::unique_ptr<LocalOutput> output) : output_(std::move(output)) {}
  arrow::Status MoveUp(const std::vector<WrittenFile>& files, const std::vector<std::string>& sources) const;
  arrow::Status SyncFiles(const std::vector<WrittenFile>& files) const;

  std::unique_ptr<LocalOutput> output_;  // null: it is closed
};

}  // namespace uzushio
