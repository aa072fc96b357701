// An output on an object store whose files are written by tasks of an engine.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "storage/store_commit.h"
#include "storage/store_lock.h"
#include "storage/store_place.h"
#include "storage/task_output.h"

namespace uzushio {

// Tasks write to a folder beside the output, `.NAME.work-…`, whose name `.uzushio/work.json` in the output has. Commit
// moves the files to their places (storage/store_commit.h). Writers exclude each other, those of the local program too
// (storage/store_lock.h). Who comes next deletes what a process that was killed has left, with its folder.
class StoreTaskOutput final : public TaskOutput {
 public:
  // `run` identifies the run, as for OutputFolder::Open. The local folder of the lock is in `tmp`; `about` is what the
  // lock says (StoreLock). folder() is a name in the folder that the output lies in. Errors: as OutputFolder::Open.
  static arrow::Result<std::unique_ptr<TaskOutput>> Open(StorePlace place, const nlohmann::json& run, bool overwrite,
                                                         const std::string& tmp, nlohmann::json about = nullptr);
  ~StoreTaskOutput() override;

  arrow::Status Commit(nlohmann::json success, std::vector<std::string> sources) override;
  arrow::Status Close() override;

 private:
  StoreTaskOutput(StorePlace place, const nlohmann::json& run, bool overwrite, const std::string& tmp,
                  nlohmann::json about);
  const StorePlace& place() const { return commit_.place(); }
  arrow::Result<bool> IsDoneAtRest();
  arrow::Status Prepare();
  arrow::Result<bool> TakeUpWhole(const StoreCommit::Found& found);
  arrow::Status PutRecord(const nlohmann::json& made, const std::vector<std::string>& sources) const;
  arrow::Status Publish(const nlohmann::json& made, const std::vector<std::string>& sources);
  arrow::Status MoveIn(const ToPut& one) const;
  arrow::Status DropWork() const;

  StoreCommit commit_;
  std::optional<StoreLock> lock_;  // until this is closed
  bool was_locked_ = false;
  std::optional<StorePlace> work_;
  bool whole_ = false;  // the work lacks nothing but its place, and its record says so
};

}  // namespace uzushio
