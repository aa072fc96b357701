// An output whose files are written by tasks of an engine, such as Spark, and not by this process.
#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace uzushio {

// Tasks write to a folder that no other run has. Commit makes the files that it is told of the output, as
// storage/local_output.h and storage/store_commit.h say; all else in the folder goes. Neither the local program nor an
// engine goes on with what the other has left half-way, and one of them writes an output at a time.
//
// A run that was stopped begins anew, unless its files were whole: then the next one puts them in their place.
class TaskOutput {
 public:
  // As Close, whose errors are not told.
  virtual ~TaskOutput() = default;
  TaskOutput(const TaskOutput&) = delete;
  TaskOutput& operator=(const TaskOutput&) = delete;

  // Whether the same run has been committed already. Its manifest is then success().
  bool done() const { return done_; }
  const nlohmann::json& success() const { return success_; }
  // Where tasks write; empty when this is done.
  const std::string& folder() const { return folder_; }

  // Puts the output in its place. `success` goes to the manifest, with the run's identity added, and lists all files;
  // `sources` says where in the folder they are, one by one.
  virtual arrow::Status Commit(nlohmann::json success, std::vector<std::string> sources) = 0;
  // Deletes what is not committed, unless it is whole, and lets others write.
  virtual arrow::Status Close() = 0;

 protected:
  TaskOutput() = default;

  bool done_ = false;
  nlohmann::json success_;
  std::string folder_;
};

}  // namespace uzushio
