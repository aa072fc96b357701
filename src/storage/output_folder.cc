#include "storage/output_folder.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string_view>

#include "base/json.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"

namespace uzushio {
namespace fs = std::filesystem;
namespace {

constexpr const char* kParts = "_parts";
constexpr const char* kPartEnding = ".json";
constexpr const char* kSuccessKey = "success";    // of an `_INCOMPLETE` whose folder is whole
constexpr const char* kReplacesKey = "replaces";  // whether an old output was put aside

// Whether a run has written a file of its output folder, given those that its mark lists. Quarantine, and the checksums
// of Hadoop's local file system, are not listed by Spark; groups were not by version 0.1.0.
bool IsOurs(const fs::path& path, const std::set<std::string>& listed) {
  const std::string name = path.filename().string();
  if (listed.contains(path.generic_string()) || path == kSuccessMark || path == kIncompleteMark) return true;
  if (path == "_groups.jsonl.gz" || (path.parent_path() == "quarantine" && name.starts_with('_'))) return true;
  return name.starts_with('.') && name.ends_with(".crc") &&
         IsOurs(path.parent_path() / name.substr(1, name.size() - 5), listed);
}

// Syncs the folders between `root` and a file below it: their entries are what leads to the file.
arrow::Status SyncFoldersOf(const fs::path& root, const std::vector<WrittenFile>& files) {
  std::set<fs::path> folders = {root};
  for (const WrittenFile& file : files) {
    for (fs::path folder = fs::path(file.path).parent_path(); !folder.empty(); folder = folder.parent_path()) {
      folders.insert(root / folder);
    }
  }
  for (const fs::path& folder : folders) ARROW_RETURN_NOT_OK(Sync(folder));
  return arrow::Status::OK();
}

arrow::Status SyncTree(const fs::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const auto entries, ListTree(folder));
  for (const TreeEntry& entry : entries) {
    if (entry.is_folder) ARROW_RETURN_NOT_OK(Sync(folder / entry.path));
  }
  return Sync(folder);
}

arrow::Status CheckFiles(const fs::path& folder, const nlohmann::json& record) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ReadWrittenFiles(record));
  for (const WrittenFile& file : files) ARROW_RETURN_NOT_OK(CheckWrittenFile(folder, file));
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::optional<StoppedCommit>> FindStoppedCommit(const fs::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const bool incomplete, PathExists(folder / kIncompleteMark));
  if (!incomplete) return std::nullopt;
  const auto mark = ReadJsonObject(folder / kIncompleteMark);
  if (!mark.ok() || !MemberOf(*mark, kSuccessKey).is_object()) return std::nullopt;
  return StoppedCommit{MemberOf(*mark, kSuccessKey), MemberOf(*mark, kReplacesKey) == true};
}

OutputFolder::OutputFolder(fs::path path, const nlohmann::json& run, bool overwrite)
    : path_(std::move(path)), run_(nlohmann::json::parse(JsonText(run))), overwrite_(overwrite) {
  const std::string name = "." + path_.filename().string();
  work_ = ParentOf(path_) / (name + ".partial");
  replaced_ = ParentOf(path_) / (name + ".replaced");
  lock_path_ = ParentOf(path_) / (name + ".lock");
}

OutputFolder::~OutputFolder() {
  if (!owns_work_ || whole_ || !lock_->held()) return;
  const auto has_parts = HasParts();
  if (has_parts.ok() && !*has_parts) (void)RemoveTree(work_);
}

arrow::Result<std::unique_ptr<OutputFolder>> OutputFolder::Open(const fs::path& path, const nlohmann::json& run,
                                                                bool overwrite) {
  fs::path normal = path.lexically_normal();
  if (normal.filename().empty()) normal = normal.parent_path();
  if (normal.filename().empty() || normal.filename() == "." || normal.filename() == "..") {
    return arrow::Status::Invalid("--output ", path.string(), ": give the name of a new folder");
  }
  std::error_code error;
  if (fs::is_symlink(normal, error)) {
    // A link can not be replaced by a folder: the folder that it leads to is meant.
    ARROW_ASSIGN_OR_RAISE(normal, CanonicalPath(normal));
    if (fs::is_symlink(normal, error)) {
      return arrow::Status::Invalid("--output ", path.string(), ": is a link that leads nowhere");
    }
  }
  std::unique_ptr<OutputFolder> folder(new OutputFolder(normal, run, overwrite));
  ARROW_ASSIGN_OR_RAISE(folder->done_, folder->IsDoneAtRest());
  if (folder->done_) return folder;
  ARROW_RETURN_NOT_OK(folder->Lock());
  ARROW_RETURN_NOT_OK(folder->Prepare());
  if (folder->done_) folder->lock_.reset();
  return folder;
}

// Whether the place has this run's output and nobody works there: then nothing is touched, not even a lock.
arrow::Result<bool> OutputFolder::IsDoneAtRest() {
  if (overwrite_) return false;
  ARROW_ASSIGN_OR_RAISE(const bool locked, PathExists(lock_path_));
  ARROW_ASSIGN_OR_RAISE(const bool incomplete, PathExists(path_ / kIncompleteMark));
  if (locked || incomplete) return false;
  auto mark = ReadJsonObject(path_ / kSuccessMark);
  if (!mark.ok() || MemberOf(*mark, "run") != run_) return false;
  success_ = *std::move(mark);
  return true;
}

arrow::Status OutputFolder::Lock() {
  const arrow::Status made = MakeFolder(ParentOf(path_));
  if (!made.ok()) return arrow::Status::Invalid("--output ", path_.string(), ": ", made.message());
  auto lock = LockFile::Try(lock_path_);
  if (!lock.ok()) return arrow::Status::Invalid("--output ", path_.string(), ": ", lock.status().message());
  if (*lock == nullptr) {
    return arrow::Status::Invalid(path_.string(), ": another process is writing this output now");
  }
  lock_ = *std::move(lock);
  return arrow::Status::OK();
}

arrow::Status OutputFolder::Prepare() {
  ARROW_RETURN_NOT_OK(MendPlace());
  ARROW_ASSIGN_OR_RAISE(nlohmann::json found, ReadPlace());
  if (!found.is_null() && !overwrite_) {
    if (MemberOf(found, "run") != run_) {
      return arrow::Status::Invalid(path_.string(), ": holds the output of a run with other inputs or another ",
                                    "configuration; choose another folder, or --overwrite");
    }
    success_ = std::move(found);
    done_ = true;
    return arrow::Status::OK();
  }
  if (!found.is_null()) {
    ARROW_RETURN_NOT_OK(CheckReplaceable(path_, found));
    ARROW_ASSIGN_OR_RAISE(const bool in_the_way, PathExists(replaced_));
    if (in_the_way) {
      return arrow::Status::Invalid(replaced_.string(), ": is in the way of replacing ", path_.string(),
                                    "; move it away, or remove it");
    }
  }
  return PrepareWork();
}

// Completes a commit that was stopped when the folder was in its place already; undoes one that was stopped when the
// old output had been put aside.
arrow::Status OutputFolder::MendPlace() {
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path_));
  ARROW_ASSIGN_OR_RAISE(const bool empty, IsEmptyFolder(path_));
  ARROW_ASSIGN_OR_RAISE(const bool put_aside, PathExists(replaced_ / kSuccessMark));
  if ((!there || empty) && put_aside) return Rename(replaced_, path_);
  ARROW_ASSIGN_OR_RAISE(auto stopped, FindStoppedCommit(path_));
  if (!stopped) return arrow::Status::OK();
  success_ = std::move(stopped->success);
  replaces_ = stopped->replaces;
  return FinishCommit();
}

// The `_SUCCESS.json` of the output in place; null where there is nothing, or an empty folder. Errors: it is something
// else.
arrow::Result<nlohmann::json> OutputFolder::ReadPlace() const {
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path_));
  if (!there) return nlohmann::json();
  ARROW_ASSIGN_OR_RAISE(const bool empty, IsEmptyFolder(path_));
  if (empty) return nlohmann::json();
  ARROW_ASSIGN_OR_RAISE(const bool incomplete, PathExists(path_ / kIncompleteMark));
  if (incomplete) {
    return arrow::Status::Invalid(path_.string(), ": holds an output that is not complete; remove it, or choose ",
                                  "another folder");
  }
  ARROW_ASSIGN_OR_RAISE(const bool committed, PathExists(path_ / kSuccessMark));
  if (committed) {
    ARROW_ASSIGN_OR_RAISE(nlohmann::json mark, ReadJsonObject(path_ / kSuccessMark));
    if (!MemberOf(mark, "run").is_null()) return mark;
  }
  return arrow::Status::Invalid(path_.string(), ": exists and is no output of uzushio; choose another folder");
}

// Whether nothing but what its run has written is in a committed output.
arrow::Status OutputFolder::CheckReplaceable(const fs::path& folder, const nlohmann::json& mark) const {
  const auto files = ReadWrittenFiles(mark);
  if (!files.ok()) {
    return arrow::Status::Invalid((folder / kSuccessMark).string(), ": damaged: ", files.status().message());
  }
  std::set<std::string> listed;
  for (const WrittenFile& file : *files) listed.insert(file.path);
  ARROW_ASSIGN_OR_RAISE(const auto entries, ListTree(folder));
  for (const TreeEntry& entry : entries) {
    if (entry.is_folder || IsOurs(entry.path, listed)) continue;
    return arrow::Status::Invalid((folder / entry.path).string(), ": was not written by the run whose output ",
                                  path_.string(), " is; --overwrite would remove it: move it away first");
  }
  return arrow::Status::OK();
}

arrow::Status OutputFolder::PrepareWork() {
  ARROW_ASSIGN_OR_RAISE(const bool begun, PathExists(work_ / kIncompleteMark));
  if (begun) {
    const auto mark = ReadJsonObject(work_ / kIncompleteMark);
    if (mark.ok() && MemberOf(*mark, "run") == run_) {
      ARROW_ASSIGN_OR_RAISE(const bool resumed, Resume(*mark));
      if (resumed) return arrow::Status::OK();
    } else if (mark.ok() && !overwrite_) {
      return arrow::Status::Invalid(work_.string(), ": an unfinished run with other inputs or another configuration; ",
                                    "finish it, remove it, or --overwrite");
    } else if (!mark.ok() && !overwrite_) {
      ARROW_ASSIGN_OR_RAISE(const bool has_parts, HasParts());
      if (has_parts) {
        return mark.status().WithMessage(mark.status().message(), "; what is finished in ", work_.string(),
                                         " cannot be known for this run's: remove it, or --overwrite");
      }
    }
    // The mark first: what is left after a stop in here is no unfinished run.
    ARROW_RETURN_NOT_OK(RemoveTree(work_ / kIncompleteMark));
  }
  ARROW_RETURN_NOT_OK(RemoveTree(work_));
  ARROW_RETURN_NOT_OK(MakeFolder(work_ / kParts));
  const nlohmann::json mark = {{"run", run_}};
  ARROW_RETURN_NOT_OK(WriteFileAtomically(work_ / kIncompleteMark, JsonText(mark, 2) + "\n"));
  owns_work_ = true;
  return arrow::Status::OK();
}

// Goes on with this run's unfinished work: puts it in its place when it is whole, else keeps its finished parts. False
// when there is nothing to keep.
arrow::Result<bool> OutputFolder::Resume(const nlohmann::json& mark) {
  const nlohmann::json& success = MemberOf(mark, kSuccessKey);
  if (success.is_object() && CheckFiles(work_, success).ok()) {
    owns_work_ = true;
    whole_ = true;
    success_ = success;
    replaces_ = MemberOf(mark, kReplacesKey) == true;
    ARROW_RETURN_NOT_OK(PutInPlace());
    done_ = true;
    return true;
  }
  ARROW_ASSIGN_OR_RAISE(const bool has_parts, HasParts());
  owns_work_ = has_parts;
  return has_parts;
}

arrow::Result<bool> OutputFolder::HasParts() const {
  ARROW_ASSIGN_OR_RAISE(const bool there, IsFolder(work_ / kParts));
  if (!there) return false;
  ARROW_ASSIGN_OR_RAISE(const auto names, ListFolder(work_ / kParts));
  return std::ranges::any_of(names, [](const std::string& name) { return name.ends_with(kPartEnding); });
}

arrow::Result<nlohmann::json> OutputFolder::FinishedPart(const std::string& part) {
  const fs::path file = work_ / kParts / (part + kPartEnding);
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(file));
  if (!there) return nlohmann::json();
  auto record = ReadJsonObject(file);
  if (record.ok() && CheckFiles(work_, *record).ok()) return record;
  ARROW_RETURN_NOT_OK(RemoveTree(file));
  return nlohmann::json();
}

arrow::Status OutputFolder::FinishPart(const std::string& part, const nlohmann::json& record) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ReadWrittenFiles(record));
  ARROW_RETURN_NOT_OK(SyncFoldersOf(work_, files));
  return WriteFileAtomically(work_ / kParts / (part + kPartEnding), JsonText(record) + "\n");
}

// Lists what stages have no checksums of, so that all that is in an output is known to be of it.
arrow::Status OutputFolder::AddUnlisted(nlohmann::json* success) const {
  ARROW_ASSIGN_OR_RAISE(const auto files, ReadWrittenFiles(*success));
  std::set<std::string> listed;
  for (const WrittenFile& file : files) listed.insert(file.path);
  ARROW_ASSIGN_OR_RAISE(const auto entries, ListTree(work_));
  for (const TreeEntry& entry : entries) {
    const bool is_mark = entry.path.starts_with(kIncompleteMark) || entry.path.starts_with(std::string(kParts) + "/");
    if (entry.is_folder || is_mark || listed.contains(entry.path)) continue;
    std::error_code error;
    const auto bytes = fs::file_size(work_ / entry.path, error);
    if (error) return arrow::Status::IOError("cannot look at ", (work_ / entry.path).string(), ": ", error.message());
    (*success)["files"].push_back({{"path", entry.path}, {"bytes", bytes}});
  }
  return arrow::Status::OK();
}

// Whether the place and the work are still this process'. They can be lost only when somebody removes the lock, or the
// file system has locks that do not hold on all machines.
arrow::Status OutputFolder::CheckOwnership() const {
  const auto mark = ReadJsonObject(work_ / kIncompleteMark);
  if (lock_->held() && mark.ok() && MemberOf(*mark, "run") == run_) return arrow::Status::OK();
  return arrow::Status::IOError(work_.string(), ": is no longer this process'; another has begun to write this output");
}

arrow::Status OutputFolder::Commit(nlohmann::json success) {
  ARROW_RETURN_NOT_OK(CheckOwnership());
  const std::string identity = JsonText(run_);
  std::array<char, 17> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(XXH64(identity.data(), identity.size(), 0)));
  success["run"] = run_;
  success["run_xxh64"] = hash.data();
  ARROW_RETURN_NOT_OK(AddUnlisted(&success));
  success_ = std::move(success);
  ARROW_RETURN_NOT_OK(SyncTree(work_));
  ARROW_RETURN_NOT_OK(MarkWhole());
  whole_ = true;
  arrow::Status placed = PutInPlace();
  if (placed.ok() || !CheckOwnership().ok()) return placed;
  return placed.WithMessage(placed.message(), "; what this run made is whole in ", work_.string(),
                            ": when its place is free, the same command puts it there");
}

// The work is whole, and this is what its commit will do.
arrow::Status OutputFolder::MarkWhole() const {
  const nlohmann::json mark = {{"run", run_}, {kSuccessKey, success_}, {kReplacesKey, replaces_}};
  return WriteFileAtomically(work_ / kIncompleteMark, JsonText(mark, 2) + "\n");
}

// The place is looked at again: others may have come since the run began.
arrow::Status OutputFolder::PutInPlace() {
  ARROW_RETURN_NOT_OK(CheckOwnership());
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json old, ReadPlace());
  if (!old.is_null()) {
    if (!overwrite_) {
      return arrow::Status::Invalid(path_.string(), ": another run's output has been put here meanwhile; ",
                                    "move it away, or --overwrite");
    }
    ARROW_RETURN_NOT_OK(CheckReplaceable(path_, old));
  }
  if (replaces_ != !old.is_null()) {
    replaces_ = !old.is_null();
    ARROW_RETURN_NOT_OK(MarkWhole());
  }
  if (replaces_) ARROW_RETURN_NOT_OK(Rename(path_, replaced_));
  // What came between the check and the renaming is not lost either.
  arrow::Status placed = old.is_null() ? arrow::Status::OK() : CheckReplaceable(replaced_, old);
  if (placed.ok()) placed = Rename(work_, path_);
  if (!placed.ok()) {
    if (!old.is_null()) ARROW_RETURN_NOT_OK(Rename(replaced_, path_));
    return placed;
  }
  owns_work_ = false;
  return FinishCommit();
}

arrow::Result<nlohmann::json> OutputFolder::Counts() const {
  const nlohmann::json& counts = MemberOf(success_, "counts");
  if (counts.is_object()) return counts;
  return arrow::Status::Invalid((path_ / kSuccessMark).string(), ": damaged: it has no counts");
}

// What is left once the folder is in its place. A stop anywhere in here is made good by the next run.
arrow::Status OutputFolder::FinishCommit() {
  ARROW_RETURN_NOT_OK(RemoveTree(path_ / kParts));
  ARROW_RETURN_NOT_OK(WriteFileAtomically(path_ / kSuccessMark, JsonText(success_, 2) + "\n"));
  if (replaces_) ARROW_RETURN_NOT_OK(RemoveTree(replaced_));
  return RemoveTree(path_ / kIncompleteMark);
}

}  // namespace uzushio
