// An output folder on a local or mounted file system.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "storage/lock_file.h"
#include "storage/output_folder.h"

namespace uzushio {

// A commit that was stopped when its folder was in its place already. The next Open completes it, whatever its run is.
struct StoppedCommit {
  nlohmann::json success;  // what the manifest will say, if it does not yet
  bool replaces = false;   // an old output was put aside for it
  std::string step;        // of one whose place is a mount point: what it was at
};
arrow::Result<std::optional<StoppedCommit>> FindStoppedCommit(const std::filesystem::path& folder);

// Removes what a run that was stopped has left beside an output. Errors: another process works there; what is there is
// no run's.
arrow::Status RemoveUnfinishedRun(const std::filesystem::path& output);
// Removes the lock beside a finished output that a process has left, unless another holds it.
arrow::Status RemoveLeftLock(const std::filesystem::path& output);

// Whether a run has written a file of its output folder, given those that its manifest lists.
bool IsOfRun(const std::filesystem::path& path, const std::set<std::string>& listed);

// Writes a folder beside its final place and renames it there when it is complete.
//
// While work goes on, `.NAME.partial` beside the output has the finished files and a record of each finished part, so
// that a run that was stopped goes on where it was. The folder's `_INCOMPLETE` names the run (stage, configuration,
// inputs): only the same run resumes it. `.NAME.lock` is held by the process that works, from its first look at the
// place to the end of its commit; a process that is refused changes nothing.
//
// `Commit` syncs, writes what the manifest will say into `_INCOMPLETE` (from here on the work is whole), renames,
// writes the manifest and removes `_INCOMPLETE`. An output that is replaced lies in `.NAME.replaced` until the new
// one is in its place. What a stop leaves between any two of these steps, the next Open completes or undoes.
//
// A place that is a mount point can not be renamed: there the three lie in it, as `.partial`, `.replaced` and `.lock`,
// and what is whole is moved up, entry by entry, under the mark `_INCOMPLETE`.
class LocalOutput final : public OutputFolder {
 public:
  // `engine`: what the files are made by, where it is another than this program; neither goes on with the other's work.
  static arrow::Result<std::unique_ptr<LocalOutput>> Open(const std::filesystem::path& path, const nlohmann::json& run,
                                                          bool overwrite, const std::string& engine = "");
  ~LocalOutput() override;

  const std::filesystem::path& work() const override { return work_; }
  arrow::Result<nlohmann::json> FinishedPart(const std::string& part) override;
  arrow::Status FinishPart(const std::string& part, const nlohmann::json& record) override;
  // When the place can not be taken, the work stays, and the next Open of the same run puts it there.
  arrow::Status Commit(nlohmann::json success) override;

 private:
  LocalOutput(std::filesystem::path path, const nlohmann::json& run, bool overwrite, const std::string& engine,
              bool is_mount_point);
  arrow::Result<bool> IsDoneAtRest();
  arrow::Status Lock();
  arrow::Status Prepare();
  arrow::Status RecoverCommit();
  arrow::Result<nlohmann::json> ReadPlace() const;
  arrow::Status CheckReplaceable(const std::filesystem::path& folder, const nlohmann::json& mark) const;
  arrow::Status PrepareWork();
  arrow::Result<bool> Resume(const nlohmann::json& mark);
  arrow::Result<bool> HasParts() const;
  arrow::Status AddUnlisted(nlohmann::json* success) const;
  arrow::Status RemoveUnlisted(const nlohmann::json& success) const;
  arrow::Status CheckOwnership() const;
  arrow::Status MarkWhole() const;
  bool IsOfWork(const std::string& name) const;
  arrow::Result<bool> IsFree() const;
  arrow::Status PutInPlace();
  arrow::Status PutInside();
  arrow::Status NoteStep(const char* step) const;
  arrow::Status MoveEntries(const std::string& step);
  arrow::Status FinishCommit();

  std::filesystem::path path_;
  std::filesystem::path work_;
  std::filesystem::path replaced_;  // the old output, while it is overwritten
  std::filesystem::path lock_path_;
  nlohmann::json run_;   // as it reads in manifests
  nlohmann::json mark_;  // the same, with the engine, as it reads in marks of work
  std::string engine_;
  bool overwrite_;
  bool is_inside_;  // work goes on in the place, which is a mount point
  std::unique_ptr<LockFile> lock_;
  bool owns_work_ = false;  // the work's mark is this run's
  bool whole_ = false;      // the work lacks nothing but its place
  bool replaces_ = false;   // an old output is, or will be, in `replaced_`
};

}  // namespace uzushio
