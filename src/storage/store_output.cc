#include "storage/store_output.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"
#include "storage/output_names.h"

namespace uzushio {
namespace fs = std::filesystem;
namespace {

constexpr int kUploads = 3;  // at once
constexpr StoreLock::Words kWriting = {"another process is writing this output", "write this output",
                                       "choose another --tmp"};

}  // namespace

StoreOutput::StoreOutput(StorePlace place, const nlohmann::json& run, bool overwrite, const fs::path& tmp)
    : commit_(std::move(place), run, overwrite), lock_(commit_.place(), tmp, kWriting) {}

StoreOutput::~StoreOutput() { local_.reset(); }

arrow::Result<std::unique_ptr<OutputFolder>> StoreOutput::Open(const std::string& uri, const nlohmann::json& run,
                                                               bool overwrite, const std::string& tmp) {
  ARROW_ASSIGN_OR_RAISE(StorePlace place, StorePlace::Locate(uri));
  return OpenAt(std::move(place), run, overwrite, tmp);
}

arrow::Result<std::unique_ptr<OutputFolder>> StoreOutput::OpenAt(StorePlace place, const nlohmann::json& run,
                                                                 bool overwrite, const std::string& tmp) {
  ARROW_ASSIGN_OR_RAISE(const fs::path folder, tmp.empty() ? StagingRoot() : AbsolutePath(tmp));
  std::unique_ptr<StoreOutput> output(new StoreOutput(std::move(place), run, overwrite, folder));
  ARROW_ASSIGN_OR_RAISE(output->done_, output->IsDoneAtRest());
  if (output->done_) return output;
  ARROW_RETURN_NOT_OK(output->commit_.CheckAround());
  ARROW_RETURN_NOT_OK(output->Stage());
  ARROW_RETURN_NOT_OK(output->lock_.Take());
  ARROW_RETURN_NOT_OK(output->Prepare());
  return output;
}

// Whether the place has this run's output and nothing is left to do there: then nothing is touched, not even a lock.
arrow::Result<bool> StoreOutput::IsDoneAtRest() {
  if (commit_.overwrite()) return false;
  ARROW_ASSIGN_OR_RAISE(StoreCommit::Found found, commit_.Look());
  if (!commit_.IsAtRest(found)) return false;
  ARROW_ASSIGN_OR_RAISE(const bool has_note, lock_.IsLeft());
  if (has_note) return false;  // a lock of this work's is left
  ARROW_RETURN_NOT_OK(commit_.CheckDone(found));
  success_ = std::move(found.manifest);
  // A stop after the commit may have left its work.
  ARROW_ASSIGN_OR_RAISE(const bool has_work, IsFolder(lock_.folder()));
  if (has_work && Stage().ok()) ARROW_RETURN_NOT_OK(DropLocalWork());
  return true;
}

// Removes the work of this run, which is on the store.
arrow::Status StoreOutput::DropLocalWork() const {
  ARROW_ASSIGN_OR_RAISE(const bool is_whole, HasManifest(whole()));
  if (!is_whole) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json made, ReadManifestOf(whole()));
  return MemberOf(made, "run") == commit_.run() ? RemoveWhole() : arrow::Status::OK();
}

// Removes the work so that a stop on the way leaves nothing by its name, which would be neither whole nor unfinished.
arrow::Status StoreOutput::RemoveWhole() const {
  ARROW_RETURN_NOT_OK(Rename(whole(), removed()));
  return RemoveTree(removed());
}

// Whether the files of the work are what its manifest lists: of a temporary folder, others may have removed some.
bool StoreOutput::IsAsListed(const nlohmann::json& made) const {
  const auto files = ReadWrittenFiles(made);
  return files.ok() &&
         std::ranges::all_of(*files, [this](const WrittenFile& file) { return CheckWrittenFile(whole(), file).ok(); });
}

arrow::Status StoreOutput::Stage() {
  ARROW_RETURN_NOT_OK(lock_.LockFolder());
  return RemoveTree(removed());  // of a stop while it was removed
}

arrow::Status StoreOutput::Prepare() {
  ARROW_RETURN_NOT_OK(commit_.place().DropTemporary());
  ARROW_ASSIGN_OR_RAISE(StoreCommit::Found found, commit_.Look());
  ARROW_ASSIGN_OR_RAISE(auto done, commit_.Recover(&found));
  if (done) {
    ARROW_RETURN_NOT_OK(commit_.DropWork(found));
    success_ = *std::move(done);
    done_ = true;
    ARROW_RETURN_NOT_OK(lock_.Release());
    return DropLocalWork();
  }
  ARROW_RETURN_NOT_OK(commit_.CheckPlace(found));
  ARROW_RETURN_NOT_OK(DropTasksWork(found));
  ARROW_ASSIGN_OR_RAISE(const bool is_ours, TakeUpWhole());
  ARROW_ASSIGN_OR_RAISE(local_, LocalOutput::Open(whole(), commit_.run(), commit_.overwrite() && !is_ours));
  if (!local_->done()) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(Publish());
  done_ = true;
  return arrow::Status::OK();
}

// What tasks of an engine have left half-way is of no use; what is whole was hours of work.
arrow::Status StoreOutput::DropTasksWork(const StoreCommit::Found& found) const {
  if (!commit_.overwrite() && MemberOf(found.work, StoreCommit::kManifestOfWork).is_object()) {
    return arrow::Status::Invalid(place().name(), ": an unfinished run of Spark, whose files are whole, is here; ",
                                  "finish it on Spark, or --overwrite");
  }
  return commit_.DropWork(found);
}

// Whether work of this run is whole, and as its manifest lists it. Errors: it is another's.
arrow::Result<bool> StoreOutput::TakeUpWhole() const {
  ARROW_ASSIGN_OR_RAISE(const bool is_whole, HasManifest(whole()));
  if (!is_whole) return false;
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json made, ReadManifestOf(whole()));
  const bool is_ours = MemberOf(made, "run") == commit_.run();
  if (!is_ours && !commit_.overwrite()) {
    return arrow::Status::Invalid(lock_.folder().string(), ": has the output of a run with other inputs or another ",
                                  "configuration, which was not put to ", place().name(), "; finish it, remove this ",
                                  "folder, or --overwrite");
  }
  if (is_ours && IsAsListed(made)) return true;
  ARROW_RETURN_NOT_OK(RemoveWhole());
  return false;
}

arrow::Status StoreOutput::Commit(nlohmann::json success) {
  ARROW_RETURN_NOT_OK(local_->Commit(std::move(success)));
  return Publish();
}

arrow::Result<nlohmann::json> StoreOutput::PutAll() {
  nlohmann::json manifest = local_->success();
  ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> made, ReadWrittenFiles(manifest));
  std::vector<std::string> sources;
  for (size_t i = 0; i < made.size(); ++i) {
    sources.push_back(made[i].path);
    if (!made[i].xxh64.empty()) continue;
    ARROW_ASSIGN_OR_RAISE(manifest["files"][i]["xxh64"], ChecksumOfFile(whole() / made[i].path));
  }
  return commit_.Publish(std::move(manifest), sources, "", lock_, kUploads,
                         [this](const ToPut& one, const std::function<void(int64_t)>& on_bytes) {
                           return place().Upload(whole() / one.source, one.file, one.file.path, on_bytes);
                         });
}

arrow::Status StoreOutput::Publish() {
  auto put = PutAll();
  if (!put.ok()) {
    return put.status().WithMessage(put.status().message(), "; what this run made is whole in ",
                                    lock_.folder().string(), ", and the same command goes on with putting it to ",
                                    place().name());
  }
  success_ = *std::move(put);
  arrow::Status cleaned = commit_.CleanUp();
  if (cleaned.ok()) cleaned = lock_.Release();
  if (!cleaned.ok()) {
    return cleaned.WithMessage(cleaned.message(), "; the output is complete, and the same command removes what else ",
                               "is there");
  }
  return DropLocalWork();
}

}  // namespace uzushio
