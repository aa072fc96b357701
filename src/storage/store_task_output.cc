#include "storage/store_task_output.h"

#include <utility>

#include "base/json.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"

namespace uzushio {
namespace {

// At once; a store copies what it moves, and nothing goes through this process.
constexpr int kMoves = 8;
constexpr const char* kSourcesOfWork = "sources";
constexpr StoreLock::Words kTasksWriting = {"another process is writing this output", "write this output",
                                            "set TMPDIR to another"};

}  // namespace

StoreTaskOutput::StoreTaskOutput(StorePlace place, const nlohmann::json& run, bool overwrite, const std::string& tmp,
                                 nlohmann::json about)
    : commit_(std::move(place), run, overwrite) {
  lock_.emplace(commit_.place(), tmp, kTasksWriting, std::move(about));
}

StoreTaskOutput::~StoreTaskOutput() { (void)Close(); }

arrow::Result<std::unique_ptr<TaskOutput>> StoreTaskOutput::Open(StorePlace place, const nlohmann::json& run,
                                                                 bool overwrite, const std::string& tmp,
                                                                 nlohmann::json about) {
  std::unique_ptr<StoreTaskOutput> output(new StoreTaskOutput(std::move(place), run, overwrite, tmp, std::move(about)));
  ARROW_ASSIGN_OR_RAISE(output->done_, output->IsDoneAtRest());
  if (output->done_) return output;
  ARROW_RETURN_NOT_OK(output->commit_.CheckAround());
  ARROW_RETURN_NOT_OK(output->lock_->LockFolder());
  output->was_locked_ = true;
  ARROW_RETURN_NOT_OK(output->lock_->Take());
  ARROW_RETURN_NOT_OK(output->Prepare());
  if (output->done_) ARROW_RETURN_NOT_OK(output->Close());
  return output;
}

// Whether the place has this run's output and nothing is left to do there: then nothing is touched, not even a lock.
arrow::Result<bool> StoreTaskOutput::IsDoneAtRest() {
  if (commit_.overwrite()) return false;
  ARROW_ASSIGN_OR_RAISE(StoreCommit::Found found, commit_.Look());
  ARROW_ASSIGN_OR_RAISE(const bool has_note, lock_->IsLeft());
  if (!commit_.IsAtRest(found) || has_note) return false;
  ARROW_RETURN_NOT_OK(commit_.CheckDone(found));
  success_ = std::move(found.manifest);
  return true;
}

arrow::Status StoreTaskOutput::Prepare() {
  ARROW_RETURN_NOT_OK(place().DropTemporary());
  ARROW_ASSIGN_OR_RAISE(StoreCommit::Found found, commit_.Look());
  ARROW_ASSIGN_OR_RAISE(auto done, commit_.Recover(&found));
  if (done) {
    success_ = *std::move(done);
    done_ = true;
    return commit_.DropWork(found);
  }
  ARROW_RETURN_NOT_OK(commit_.CheckPlace(found));
  ARROW_ASSIGN_OR_RAISE(done_, TakeUpWhole(found));
  if (done_) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(commit_.DropWork(found));
  folder_ = commit_.NewFolderOfWork();
  work_ = place().Beside(folder_);
  return PutRecord(nullptr, {});
}

// Ends this run's commit, which was stopped when all files were made; false when there is none. Errors: that of another
// run was.
arrow::Result<bool> StoreTaskOutput::TakeUpWhole(const StoreCommit::Found& found) {
  const nlohmann::json& made = MemberOf(found.work, StoreCommit::kManifestOfWork);
  auto work = commit_.PlaceOfWork(found.work);
  if (!made.is_object() || !work) return false;
  if (MemberOf(found.work, "run") != commit_.run()) {
    if (commit_.overwrite()) return false;
    return arrow::Status::Invalid(place().name(), ": an unfinished run with other inputs or another configuration, ",
                                  "whose files are whole, is in ", work->name(), "; finish it, or --overwrite");
  }
  std::vector<std::string> sources;
  for (const nlohmann::json& source : MemberOf(found.work, kSourcesOfWork)) {
    sources.push_back(source.is_string() ? source.get<std::string>() : "");
  }
  const auto files = ReadWrittenFiles(made);
  if (!files.ok() || files->size() != sources.size()) return false;
  const nlohmann::json& folder = MemberOf(found.work, StoreCommit::kFolderOfWork);
  ARROW_ASSIGN_OR_RAISE(const auto there, work->List());
  if (!commit_.HasAll(found, made, sources, folder.get<std::string>(), there)) return false;
  folder_ = folder.get<std::string>();
  work_ = std::move(work);
  whole_ = true;
  ARROW_RETURN_NOT_OK(Publish(made, sources));
  return true;
}

// Notes where the work is; and what is to be put, where it is whole.
arrow::Status StoreTaskOutput::PutRecord(const nlohmann::json& made, const std::vector<std::string>& sources) const {
  nlohmann::json record = {{"run", commit_.run()}, {StoreCommit::kFolderOfWork, folder_}};
  if (!made.is_null()) {
    record[StoreCommit::kManifestOfWork] = made;
    record[kSourcesOfWork] = sources;
  }
  return place().Put(StoreCommit::kWorkRecord, JsonText(record) + "\n");
}

arrow::Status StoreTaskOutput::Commit(nlohmann::json success, std::vector<std::string> sources) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ReadWrittenFiles(success));
  if (files.size() != sources.size()) return arrow::Status::Invalid("each file has one source");
  success["run"] = commit_.run();
  const auto note = [&]() -> arrow::Status {
    ARROW_RETURN_NOT_OK(lock_->CheckHeld());
    return PutRecord(success, sources);
  };
  // Without the note, all that was made would be deleted: an error that passes is not to cost it.
  if (const arrow::Status noted = note(); !noted.ok() && !note().ok()) return noted;
  whole_ = true;
  return Publish(success, sources);
}

arrow::Status StoreTaskOutput::Publish(const nlohmann::json& made, const std::vector<std::string>& sources) {
  auto put = commit_.Publish(made, sources, folder_, *lock_, kMoves,
                             [this](const ToPut& one, const std::function<void(int64_t)>& on_bytes) {
                               const arrow::Status moved = MoveIn(one);
                               if (moved.ok()) on_bytes(one.file.bytes);
                               return moved;
                             });
  if (!put.ok()) {
    return put.status().WithMessage(put.status().message(), "; what this run made is whole in ", work_->name(),
                                    ", and the same command goes on with moving it to ", place().name());
  }
  success_ = *std::move(put);
  arrow::Status cleaned = commit_.CleanUp();
  if (cleaned.ok()) cleaned = DropWork();
  if (cleaned.ok()) return arrow::Status::OK();
  return cleaned.WithMessage(cleaned.message(), "; the output is complete, and the same command removes what else ",
                             "is there");
}

arrow::Status StoreTaskOutput::MoveIn(const ToPut& one) const {
  if (one.is_there) ARROW_RETURN_NOT_OK(place().Delete(one.file.path));
  return place().Take(*work_, one.source, one.file.path);
}

arrow::Status StoreTaskOutput::DropWork() const {
  ARROW_RETURN_NOT_OK(work_->DropAll());
  return place().Delete(StoreCommit::kWorkRecord);
}

arrow::Status StoreTaskOutput::Close() {
  if (!lock_) return arrow::Status::OK();
  arrow::Status closed = arrow::Status::OK();
  if (work_ && !whole_) {  // where somebody has taken the lock away, the record may be another's
    closed = lock_->CheckHeld().ok() ? DropWork() : work_->DropAll();
  }
  const arrow::Status released = lock_->Release();
  lock_.reset();
  if (!closed.ok() || !released.ok()) return closed.ok() ? released : closed;
  if (was_locked_) place().DropFoldersOf({StoreCommit::kWorkRecord});
  return arrow::Status::OK();
}

}  // namespace uzushio
