#include "pipeline/run_folder.h"

#include <utility>
#include <vector>

#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/store_place.h"

namespace uzushio {

namespace fs = std::filesystem;

namespace {

constexpr StoreLock::Words kRunning = {"another process runs a pipeline here", "run a pipeline here",
                                       "set TMPDIR to another"};

}  // namespace

arrow::Result<RunFolder> RunFolder::Open(const std::string& output, const std::string& tmp) {
  RunFolder folder(output);
  if (IsOnStore(output)) ARROW_RETURN_NOT_OK(folder.Read(tmp));
  return folder;
}

arrow::Result<RunFolder> RunFolder::OpenLocked(const std::string& output) {
  RunFolder folder(output);
  if (IsOnStore(output)) {
    ARROW_ASSIGN_OR_RAISE(folder.place_, StorePlace::Locate(output));
    ARROW_ASSIGN_OR_RAISE(const fs::path root, StagingRoot("set TMPDIR"));
    folder.store_lock_ = std::make_unique<StoreLock>(*folder.place_, root, kRunning);
    ARROW_RETURN_NOT_OK(folder.store_lock_->LockFolder());
    ARROW_RETURN_NOT_OK(folder.store_lock_->Take());
    ARROW_RETURN_NOT_OK(folder.place_->DropTemporary());
    ARROW_RETURN_NOT_OK(folder.Read(root.string()));
    return folder;
  }
  ARROW_RETURN_NOT_OK(MakeFolder(folder.path_));
  ARROW_ASSIGN_OR_RAISE(folder.local_lock_, LockFile::Try(folder.path_ / ".pipeline.lock"));
  if (folder.local_lock_ != nullptr) return folder;
  return arrow::Status::Invalid(output, ": ", kRunning.at_work, " now");
}

// Copies what is on the store.
arrow::Status RunFolder::Read(const std::string& tmp) {
  ARROW_ASSIGN_OR_RAISE(const fs::path root, tmp.empty() ? StagingRoot("set TMPDIR") : AbsolutePath(tmp));
  ARROW_ASSIGN_OR_RAISE(copy_, TemporaryFolder::MakeAfterKilled(root / "uzushio-run"));
  path_ = copy_->path();
  ARROW_ASSIGN_OR_RAISE(const InputPlace place, LocateInput(output_));
  const StorePlace there = StorePlace::ToRead(place, output_);
  for (const char* name : {kPipelineMark, kPipelineSummaries}) {
    const auto text = there.Read(name);
    if (!text.ok()) return AboutAccess(there.name(), text.status());
    if (!*text) continue;
    ARROW_RETURN_NOT_OK(WriteFileAtomically(path_ / name, **text));
    there_[name] = **text;
  }
  return arrow::Status::OK();
}

arrow::Status RunFolder::About(const arrow::Status& status) const {
  return is_copy() ? copy_->About(status, StoreName(output_)) : status;
}

arrow::Result<RunRecord> RunFolder::Record() const {
  auto record = RunRecord::Read(path_, is_copy() ? StoreName(output_) : "");
  if (!record.ok()) return About(record.status());
  return record;
}

arrow::Result<StepSummaries> RunFolder::Summaries() const {
  auto summaries = StepSummaries::Read(path_);
  if (!summaries.ok()) return About(summaries.status());
  return summaries;
}

arrow::Status RunFolder::Put(const RunRecord& record, const StepSummaries& summaries) {
  if (store_lock_ == nullptr) return arrow::Status::OK();
  // The record first: by it, the next run knows that the summaries are a pipeline's.
  std::vector<std::pair<const char*, nlohmann::json>> files = {{kPipelineMark, record.Whole()}};
  if (!summaries.empty()) files.emplace_back(kPipelineSummaries, summaries.Whole());
  for (const auto& [name, json] : files) {
    std::string text = JsonText(json, 2) + "\n";
    if (there_[name] == text) continue;
    ARROW_RETURN_NOT_OK(store_lock_->CheckHeld());
    ARROW_RETURN_NOT_OK(place_->Put(name, text));
    there_[name] = std::move(text);
  }
  return arrow::Status::OK();
}

arrow::Status RunFolder::Unlock() { return store_lock_ == nullptr ? arrow::Status::OK() : store_lock_->Release(); }

}  // namespace uzushio
