// Where a run of a pipeline has its own files, as the record of its steps: in its output, or, of one on a store, in a
// temporary folder.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/run_record.h"
#include "pipeline/step_summaries.h"
#include "storage/lock_file.h"
#include "storage/store_lock.h"
#include "storage/store_place.h"
#include "storage/temporary_folder.h"

namespace uzushio {

class RunFolder {
 public:
  // Of a local output, or a URI. Of one on a store, the record and the summaries that are there are copied, to `tmp`
  // or, where it is empty, to the system's folder for temporary data; the copies go with this. Errors: the store can
  // not be read.
  static arrow::Result<RunFolder> Open(const std::string& output, const std::string& tmp = "");
  // For a run, which is the only one there as long as this lives. Errors: also, another run has it.
  static arrow::Result<RunFolder> OpenLocked(const std::string& output);

  const std::filesystem::path& path() const { return path_; }
  bool is_copy() const { return copy_ != nullptr; }
  // What is noted of the steps. Errors: it is damaged.
  arrow::Result<RunRecord> Record() const;
  arrow::Result<StepSummaries> Summaries() const;
  // Of one on a store that is locked: puts there what is noted, if that is not there yet. Errors: also, the lock is
  // gone.
  arrow::Status Put(const RunRecord& record, const StepSummaries& summaries);
  // Gives the lock of a store back, which else goes with this, and no error is told of then.
  arrow::Status Unlock();
  // An error about these files, by the name of the output.
  arrow::Status About(const arrow::Status& status) const;

 private:
  explicit RunFolder(const std::string& output) : output_(output), path_(output) {}
  arrow::Status Read(const std::string& tmp);

  std::string output_;
  std::filesystem::path path_;
  std::unique_ptr<TemporaryFolder> copy_;  // null: the output is local
  std::unique_ptr<LockFile> local_lock_;
  std::optional<StorePlace> place_;  // where store_lock_ is
  std::unique_ptr<StoreLock> store_lock_;
  std::map<std::string, std::string> there_;  // texts that are on the store, by their files' names
};

}  // namespace uzushio
