// An output folder that is there whole or not at all.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace uzushio {

// The names of the marks in an output folder.
inline constexpr const char* kSuccessMark = "_SUCCESS.json";
inline constexpr const char* kIncompleteMark = "_INCOMPLETE";

// Writes a folder beside its final place and renames it there when it is complete.
//
// While work goes on, `.NAME.partial` beside the output has the finished files and a record of each finished part, so
// that a run that was stopped goes on where it was. The folder's `_INCOMPLETE` names the run (stage, configuration,
// inputs): only the same run resumes it. `Commit` syncs, renames, writes `_SUCCESS.json` and removes `_INCOMPLETE`.
class OutputFolder {
 public:
  // Prepares the output. `run` identifies the run: equal inputs and configuration give equal JSON. Errors: the output
  // exists and is another run's (unless `overwrite`), or another process writes it now.
  static arrow::Result<std::unique_ptr<OutputFolder>> Open(const std::filesystem::path& path, const nlohmann::json& run,
                                                           bool overwrite);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Whether the same run has been committed already. Its `_SUCCESS.json` is then success().
  bool done() const { return done_; }
  const nlohmann::json& success() const { return success_; }

  // Where to write. Files may be written again after a stop.
  const std::filesystem::path& work() const { return work_; }

  // The record of a finished part, or null.
  arrow::Result<nlohmann::json> FinishedPart(const std::string& part) const;
  // Notes that a part is finished. Its files must have been synced.
  arrow::Status FinishPart(const std::string& part, const nlohmann::json& record);

  // Puts the folder in its place. `success` goes to `_SUCCESS.json`, with the run's identity and the identity's XXH64
  // added.
  arrow::Status Commit(nlohmann::json success);

 private:
  OutputFolder(std::filesystem::path path, nlohmann::json run);
  arrow::Status Prepare(bool overwrite);
  arrow::Result<bool> CheckCommitted(bool overwrite);
  arrow::Status Lock();
  arrow::Status FinishCommit();

  std::filesystem::path path_;
  std::filesystem::path work_;
  std::filesystem::path replaced_;  // the old output, while it is overwritten
  nlohmann::json run_;
  nlohmann::json success_;
  bool done_ = false;
  int lock_ = -1;
};

// Writes a small file whole: to a temporary name, synced, renamed.
arrow::Status WriteFileAtomically(const std::filesystem::path& path, const std::string& content);

}  // namespace uzushio
