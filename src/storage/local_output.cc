#include "storage/local_output.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string_view>

#include "base/json.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"
#include "storage/places.h"

namespace uzushio {
namespace fs = std::filesystem;
namespace {

constexpr const char* kParts = "_parts";
constexpr const char* kPartEnding = ".json";
constexpr const char* kSuccessKey = "success";    // of an `_INCOMPLETE` whose folder is whole
constexpr const char* kReplacesKey = "replaces";  // whether an old output was put aside
constexpr const char* kStepKey = "step";          // of a commit inside a mount point
constexpr const char* kMovedAside = "aside";      // what lay there is moved away
constexpr const char* kIn = "in";                 // what was made is moved up

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

// Whether all files of an output are there, by their sizes.
bool IsWhole(const fs::path& folder, const nlohmann::json& success) {
  const auto files = ReadWrittenFiles(success);
  return files.ok() && std::ranges::all_of(*files, [&folder](const WrittenFile& file) {
           std::error_code error;
           const auto size = fs::file_size(folder / file.path, error);
           return !error && static_cast<int64_t>(size) == file.bytes;
         });
}

// Whether all files of an output that is in its place are there, by their sizes: a run that is done already has them.
arrow::Status CheckDone(const fs::path& folder, const nlohmann::json& success) {
  const auto files = ReadWrittenFiles(success);
  if (!files.ok()) {
    return arrow::Status::Invalid(folder.string(), ": its manifest is damaged: ", files.status().message());
  }
  for (const WrittenFile& file : *files) {
    std::error_code error;
    const auto size = fs::file_size(folder / file.path, error);
    if (!error && static_cast<int64_t>(size) == file.bytes) continue;
    return arrow::Status::IOError((folder / file.path).string(), error ? ": is missing" : ": has another size",
                                  ", and the manifest lists it: this run was complete, and its output is not whole ",
                                  "any more; bring the file back, or make the output again with --overwrite");
  }
  return arrow::Status::OK();
}

// Whether a folder under work is a run's: it has the mark, or what a run makes before it.
arrow::Result<bool> IsWorkOfRun(const fs::path& work) {
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(work));
  if (!is_folder) return false;
  ARROW_ASSIGN_OR_RAISE(const bool marked, PathExists(work / kIncompleteMark));
  if (marked) return true;
  ARROW_ASSIGN_OR_RAISE(const auto entries, ListTree(work));
  const std::string unfinished = std::string(kIncompleteMark) + ".tmp";
  return std::ranges::all_of(entries, [&](const TreeEntry& entry) {
    return entry.is_folder ? entry.path == kParts : entry.path == unfinished;
  });
}

// The mark goes last: what is left by a stop in here is known for a run's.
arrow::Status RemoveWork(const fs::path& work) {
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(work));
  if (!there) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const bool is_ours, IsWorkOfRun(work));
  if (!is_ours) {
    return arrow::Status::Invalid(work.string(), ": is in the way, and no unfinished run of uzushio; move it away, or ",
                                  "choose another --output");
  }
  ARROW_ASSIGN_OR_RAISE(const auto names, ListFolder(work));
  for (const std::string& name : names) {
    if (name != kIncompleteMark) ARROW_RETURN_NOT_OK(RemoveTree(work / name));
  }
  return RemoveTree(work);
}

struct PlacesOfWork {
  fs::path work;
  fs::path replaced;
  fs::path lock;
};

PlacesOfWork PlacesBeside(const fs::path& output, bool is_mount_point) {
  if (is_mount_point) return {output / ".partial", output / ".replaced", output / ".lock"};
  const std::string name = "." + output.filename().string();
  const fs::path parent = ParentOf(output);
  return {parent / (name + ".partial"), parent / (name + ".replaced"), parent / (name + ".lock")};
}

arrow::Status CheckFiles(const fs::path& folder, const nlohmann::json& record) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ReadWrittenFiles(record));
  for (const WrittenFile& file : files) ARROW_RETURN_NOT_OK(CheckWrittenFile(folder, file));
  return arrow::Status::OK();
}

}  // namespace

// The checksums of Hadoop's local file system are not listed; earlier versions did not list groups, and on Spark
// quarantine.
bool IsOfRun(const fs::path& path, const std::set<std::string>& listed) {
  const std::string name = path.filename().string();
  if (listed.contains(path.generic_string()) || path == kIncompleteMark) return true;
  if (path == kManifestName.path || path == kManifestName.old_path) return true;
  if (path == "_groups.jsonl.gz" || (path.parent_path() == "quarantine" && name.starts_with('_'))) return true;
  return name.starts_with('.') && name.ends_with(".crc") &&
         IsOfRun(path.parent_path() / name.substr(1, name.size() - 5), listed);
}

arrow::Result<std::optional<StoppedCommit>> FindStoppedCommit(const fs::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const bool incomplete, PathExists(folder / kIncompleteMark));
  if (!incomplete) return std::nullopt;
  const auto mark = ReadJsonObject(folder / kIncompleteMark);
  if (!mark.ok() || !MemberOf(*mark, kSuccessKey).is_object()) return std::nullopt;
  const nlohmann::json& step = MemberOf(*mark, kStepKey);
  return StoppedCommit{MemberOf(*mark, kSuccessKey), MemberOf(*mark, kReplacesKey) == true,
                       step.is_string() ? step.get<std::string>() : ""};
}

arrow::Status RemoveUnfinishedRun(const fs::path& output) {
  ARROW_ASSIGN_OR_RAISE(const bool is_mount_point, IsMountPoint(output));
  const PlacesOfWork places = PlacesBeside(output, is_mount_point);
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(places.work));
  if (!there) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto lock, LockFile::Try(places.lock));
  if (lock == nullptr) return arrow::Status::Invalid(output.string(), ": another process is writing this output now");
  return RemoveWork(places.work);
}

arrow::Status RemoveLeftLock(const fs::path& output) {
  const fs::path path = PlacesBeside(output, false).lock;
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path));
  return there ? LockFile::Try(path).status() : arrow::Status::OK();  // it goes with the lock
}

LocalOutput::LocalOutput(fs::path path, const nlohmann::json& run, bool overwrite, const std::string& engine,
                         bool is_mount_point)
    : path_(std::move(path)),
      run_(nlohmann::json::parse(JsonText(run))),
      mark_(run_),
      engine_(engine),
      overwrite_(overwrite),
      is_inside_(is_mount_point) {
  if (!engine_.empty()) mark_["engine"] = engine_;
  PlacesOfWork places = PlacesBeside(path_, is_mount_point);
  work_ = std::move(places.work);
  replaced_ = std::move(places.replaced);
  lock_path_ = std::move(places.lock);
}

LocalOutput::~LocalOutput() {
  if (!owns_work_ || whole_ || !lock_->held()) return;
  const auto has_parts = HasParts();
  if (has_parts.ok() && !*has_parts) (void)RemoveWork(work_);
}

arrow::Result<std::unique_ptr<LocalOutput>> LocalOutput::Open(const fs::path& path, const nlohmann::json& run,
                                                              bool overwrite, const std::string& engine) {
  ARROW_RETURN_NOT_OK(CheckIsPath("--output", path.string()));
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
  ARROW_ASSIGN_OR_RAISE(const bool is_mount_point, IsMountPoint(normal));
  std::unique_ptr<LocalOutput> folder(new LocalOutput(normal, run, overwrite, engine, is_mount_point));
  ARROW_ASSIGN_OR_RAISE(folder->done_, folder->IsDoneAtRest());
  if (folder->done_) return folder;
  ARROW_RETURN_NOT_OK(folder->Lock());
  ARROW_RETURN_NOT_OK(folder->Prepare());
  if (folder->done_) folder->lock_.reset();
  return folder;
}

// Whether the place has this run's output and nobody works there: then nothing is touched, not even a lock.
arrow::Result<bool> LocalOutput::IsDoneAtRest() {
  if (overwrite_) return false;
  ARROW_ASSIGN_OR_RAISE(const bool locked, PathExists(lock_path_));
  ARROW_ASSIGN_OR_RAISE(const bool incomplete, PathExists(path_ / kIncompleteMark));
  if (locked || incomplete) return false;
  auto mark = ReadManifestOf(path_);
  if (!mark.ok() || MemberOf(*mark, "run") != run_) return false;
  ARROW_RETURN_NOT_OK(CheckDone(path_, *mark));
  success_ = *std::move(mark);
  return true;
}

arrow::Status LocalOutput::Lock() {
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

arrow::Status LocalOutput::Prepare() {
  ARROW_RETURN_NOT_OK(RecoverCommit());
  ARROW_ASSIGN_OR_RAISE(nlohmann::json found, ReadPlace());
  if (!found.is_null() && !overwrite_) {
    if (MemberOf(found, "run") != run_) {
      return arrow::Status::Invalid(path_.string(), ": holds the output of a run with other inputs or another ",
                                    "configuration; choose another folder, or --overwrite");
    }
    ARROW_RETURN_NOT_OK(CheckDone(path_, found));
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
arrow::Status LocalOutput::RecoverCommit() {
  ARROW_ASSIGN_OR_RAISE(const bool is_free, IsFree());
  ARROW_ASSIGN_OR_RAISE(const bool put_aside, HasManifest(replaced_));
  if (is_free && put_aside && !is_inside_) {
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json old, ReadManifestOf(replaced_));
    if (IsWhole(replaced_, old)) return Rename(replaced_, path_);
    return arrow::Status::Invalid(replaced_.string(), ": is what is left of an output that was replaced, and not ",
                                  "whole; remove it");
  }
  ARROW_ASSIGN_OR_RAISE(auto stopped, FindStoppedCommit(path_));
  if (!stopped) return arrow::Status::OK();
  success_ = std::move(stopped->success);
  replaces_ = stopped->replaces;
  if (is_inside_) ARROW_RETURN_NOT_OK(MoveEntries(stopped->step));
  return FinishCommit();
}

// Whether a name in a place that is a mount point is none of the output's.
bool LocalOutput::IsOfWork(const std::string& name) const {
  if (!is_inside_) return false;
  return name == work_.filename() || name == replaced_.filename() || name == lock_path_.filename() ||
         name == std::string(kIncompleteMark) + ".tmp" ||  // of a mark that was being written
         name == "lost+found";                             // of the file system
}

// Whether nothing is in the place, or an empty folder.
arrow::Result<bool> LocalOutput::IsFree() const {
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path_));
  if (!there) return true;
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(path_));
  if (!is_folder) return false;
  ARROW_ASSIGN_OR_RAISE(const auto names, ListFolder(path_));
  return std::ranges::all_of(names, [this](const std::string& name) { return IsOfWork(name); });
}

// The manifest of the output in place; null where there is nothing, or an empty folder. Errors: it is something
// else.
arrow::Result<nlohmann::json> LocalOutput::ReadPlace() const {
  ARROW_ASSIGN_OR_RAISE(const bool is_free, IsFree());
  if (is_free) return nlohmann::json();
  ARROW_ASSIGN_OR_RAISE(const bool incomplete, PathExists(path_ / kIncompleteMark));
  if (incomplete) {
    return arrow::Status::Invalid(path_.string(), ": holds an output that is not complete; remove it, or choose ",
                                  "another folder");
  }
  ARROW_ASSIGN_OR_RAISE(const bool committed, HasManifest(path_));
  if (committed) {
    ARROW_ASSIGN_OR_RAISE(nlohmann::json mark, ReadManifestOf(path_));
    if (!MemberOf(mark, "run").is_null()) return mark;
  }
  return arrow::Status::Invalid(path_.string(), ": exists and is no output of uzushio; choose another folder");
}

// Whether nothing but what its run has written is in a committed output.
arrow::Status LocalOutput::CheckReplaceable(const fs::path& folder, const nlohmann::json& mark) const {
  const auto files = ReadWrittenFiles(mark);
  if (!files.ok()) {
    return arrow::Status::Invalid(folder.string(), ": its manifest is damaged: ", files.status().message());
  }
  std::set<std::string> listed;
  for (const WrittenFile& file : *files) listed.insert(file.path);
  ARROW_ASSIGN_OR_RAISE(const auto entries, ListTree(folder));
  for (const TreeEntry& entry : entries) {
    if (entry.is_folder || IsOfRun(entry.path, listed) || IsOfWork(fs::path(entry.path).begin()->string())) continue;
    return arrow::Status::Invalid((folder / entry.path).string(), ": was not written by the run whose output ",
                                  path_.string(), " is; --overwrite would remove it: move it away first");
  }
  return arrow::Status::OK();
}

arrow::Status LocalOutput::PrepareWork() {
  ARROW_ASSIGN_OR_RAISE(const bool begun, PathExists(work_ / kIncompleteMark));
  if (begun) {
    const auto mark = ReadJsonObject(work_ / kIncompleteMark);
    if (mark.ok() && MemberOf(*mark, "run") == mark_) {
      ARROW_ASSIGN_OR_RAISE(const bool resumed, Resume(*mark));
      if (resumed) return arrow::Status::OK();
    } else if (mark.ok() && !overwrite_) {
      return arrow::Status::Invalid(work_.string(), ": an unfinished run with other inputs or another configuration, ",
                                    "or of ", engine_.empty() ? "Spark" : "the local program",
                                    "; finish it, remove it, or --overwrite");
    } else if (!mark.ok() && !overwrite_) {
      ARROW_ASSIGN_OR_RAISE(const bool has_parts, HasParts());
      if (has_parts) {
        return mark.status().WithMessage(mark.status().message(), "; what is finished in ", work_.string(),
                                         " cannot be known for this run's: remove it, or --overwrite");
      }
    }
  }
  ARROW_RETURN_NOT_OK(RemoveWork(work_));
  ARROW_RETURN_NOT_OK(MakeFolder(work_ / kParts));
  const nlohmann::json mark = {{"run", mark_}};
  ARROW_RETURN_NOT_OK(WriteFileAtomically(work_ / kIncompleteMark, JsonText(mark, 2) + "\n"));
  owns_work_ = true;
  return arrow::Status::OK();
}

// Goes on with this run's unfinished work: puts it in its place when it is whole, else keeps its finished parts. False
// when there is nothing to keep.
arrow::Result<bool> LocalOutput::Resume(const nlohmann::json& mark) {
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
  // Parts with files where earlier versions wrote them are made again.
  for (const char* old_place : {"_full-data", "quarantine"}) ARROW_RETURN_NOT_OK(RemoveTree(work_ / old_place));
  ARROW_ASSIGN_OR_RAISE(const bool has_parts, HasParts());
  owns_work_ = has_parts;
  return has_parts;
}

arrow::Result<bool> LocalOutput::HasParts() const {
  ARROW_ASSIGN_OR_RAISE(const bool there, IsFolder(work_ / kParts));
  if (!there) return false;
  ARROW_ASSIGN_OR_RAISE(const auto names, ListFolder(work_ / kParts));
  return std::ranges::any_of(names, [](const std::string& name) { return name.ends_with(kPartEnding); });
}

arrow::Result<nlohmann::json> LocalOutput::FinishedPart(const std::string& part) {
  const fs::path file = work_ / kParts / (part + kPartEnding);
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(file));
  if (!there) return nlohmann::json();
  auto record = ReadJsonObject(file);
  if (record.ok() && CheckFiles(work_, *record).ok()) return record;
  ARROW_RETURN_NOT_OK(RemoveTree(file));
  return nlohmann::json();
}

arrow::Status LocalOutput::FinishPart(const std::string& part, const nlohmann::json& record) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ReadWrittenFiles(record));
  ARROW_RETURN_NOT_OK(SyncFoldersOf(work_, files));
  return WriteFileAtomically(work_ / kParts / (part + kPartEnding), JsonText(record) + "\n");
}

// Lists what stages have no checksums of, so that all that is in an output is known to be of it.
arrow::Status LocalOutput::AddUnlisted(nlohmann::json* success) const {
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

// Removes what an engine's tasks have not been asked for: those of an attempt that was given up may write to the last.
arrow::Status LocalOutput::RemoveUnlisted(const nlohmann::json& success) const {
  ARROW_ASSIGN_OR_RAISE(const auto files, ReadWrittenFiles(success));
  std::set<std::string> kept = {std::string(kParts)};
  for (const WrittenFile& file : files) {
    for (fs::path path = file.path; !path.empty(); path = path.parent_path()) kept.insert(path.string());
  }
  ARROW_ASSIGN_OR_RAISE(const auto entries, ListTree(work_));
  for (const TreeEntry& entry : entries) {
    const bool is_mark = entry.path.starts_with(kIncompleteMark) || entry.path.starts_with(std::string(kParts) + "/");
    if (!is_mark && !kept.contains(entry.path)) ARROW_RETURN_NOT_OK(RemoveTree(work_ / entry.path));
  }
  return arrow::Status::OK();
}

// Whether the place and the work are still this process'. They can be lost only when somebody removes the lock, or the
// file system has locks that do not hold on all machines.
arrow::Status LocalOutput::CheckOwnership() const {
  const auto mark = ReadJsonObject(work_ / kIncompleteMark);
  if (lock_->held() && mark.ok() && MemberOf(*mark, "run") == mark_) return arrow::Status::OK();
  return arrow::Status::IOError(work_.string(), ": is no longer this process'; another has begun to write this output");
}

arrow::Status LocalOutput::Commit(nlohmann::json success) {
  ARROW_RETURN_NOT_OK(CheckOwnership());
  const std::string identity = JsonText(run_);
  std::array<char, 17> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(XXH64(identity.data(), identity.size(), 0)));
  success["run"] = run_;
  success["run_xxh64"] = hash.data();
  ARROW_RETURN_NOT_OK(engine_.empty() ? AddUnlisted(&success) : RemoveUnlisted(success));
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
arrow::Status LocalOutput::MarkWhole() const {
  const nlohmann::json mark = {{"run", mark_}, {kSuccessKey, success_}, {kReplacesKey, replaces_}};
  return WriteFileAtomically(work_ / kIncompleteMark, JsonText(mark, 2) + "\n");
}

// The place is looked at again: others may have come since the run began.
arrow::Status LocalOutput::PutInPlace() {
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
  if (is_inside_) return PutInside();
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

// The place is a mount point. From the first mark on, what a stop leaves is completed by the next Open.
arrow::Status LocalOutput::PutInside() {
  owns_work_ = false;
  ARROW_RETURN_NOT_OK(NoteStep(kMovedAside));
  ARROW_RETURN_NOT_OK(MoveEntries(kMovedAside));
  return FinishCommit();
}

arrow::Status LocalOutput::NoteStep(const char* step) const {
  const nlohmann::json mark = {{"run", mark_}, {kSuccessKey, success_}, {kReplacesKey, replaces_}, {kStepKey, step}};
  return WriteFileAtomically(path_ / kIncompleteMark, JsonText(mark, 2) + "\n");
}

// Moves what lies in the place away, and what was made up into it; `step` is what was being done.
arrow::Status LocalOutput::MoveEntries(const std::string& step) {
  const auto is_mark = [](const std::string& name) { return name.starts_with(kIncompleteMark) || name == kParts; };
  if (step == kMovedAside) {
    if (replaces_) {
      // What others have put here while the commit was stopped is not moved, as all that is moved is removed.
      ARROW_ASSIGN_OR_RAISE(const bool is_here, HasManifest(path_));
      ARROW_ASSIGN_OR_RAISE(const auto mark, ReadManifestOf(is_here ? path_ : replaced_));
      ARROW_RETURN_NOT_OK(CheckReplaceable(path_, mark));
      ARROW_RETURN_NOT_OK(MakeFolder(replaced_));
      ARROW_ASSIGN_OR_RAISE(const auto old, ListFolder(path_));
      for (const std::string& name : old) {
        if (!IsOfWork(name) && !is_mark(name)) ARROW_RETURN_NOT_OK(Rename(path_ / name, replaced_ / name));
      }
    }
    ARROW_RETURN_NOT_OK(NoteStep(kIn));
  }
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(work_));
  if (!there) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto made, ListFolder(work_));
  for (const std::string& name : made) {
    if (!is_mark(name)) ARROW_RETURN_NOT_OK(Rename(work_ / name, path_ / name));
  }
  return arrow::Status::OK();
}

// What is left once the folder is in its place. A stop anywhere in here is made good by the next run.
arrow::Status LocalOutput::FinishCommit() {
  ARROW_RETURN_NOT_OK(RemoveTree(path_ / kParts));
  ARROW_RETURN_NOT_OK(RemoveUnfinished(path_ / kManifestName.old_path));  // of an earlier version that was stopped
  ARROW_RETURN_NOT_OK(MakeFolder(path_ / kOwnFolder));
  ARROW_RETURN_NOT_OK(WriteFileAtomically(path_ / kManifestName.path, JsonText(success_, 2) + "\n"));
  if (replaces_) {
    for (const char* manifest : {kManifestName.path, kManifestName.old_path}) {
      ARROW_RETURN_NOT_OK(RemoveTree(replaced_ / manifest));  // first: what is left is no output
    }
    ARROW_RETURN_NOT_OK(RemoveTree(replaced_));
  }
  if (is_inside_) ARROW_RETURN_NOT_OK(RemoveWork(work_));
  return RemoveTree(path_ / kIncompleteMark);
}

}  // namespace uzushio
