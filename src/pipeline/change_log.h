// Changes to a file that is too large to be written at each of them.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

namespace uzushio {

// Objects, a line each, in FILE.log beside FILE, which is written whole at the begin of a run and at its end: a change
// costs what it says, however large the file is.
class ChangeLog {
 public:
  explicit ChangeLog(std::filesystem::path file);

  // What has changed since the file was written, in order. One that a stop has cut off was not noted. Errors: damaged.
  arrow::Result<std::vector<nlohmann::json>> Read();
  // Whether there is any; after Read.
  bool is_there() const { return is_there_; }
  // Notes a change; on the disk on return. The first one, and one after an error, writes the file: `whole` has it too.
  arrow::Status Add(const nlohmann::json& change, const std::function<nlohmann::json()>& whole);
  // Writes the file, which has all changes.
  arrow::Status WriteFile(const nlohmann::json& whole);

 private:
  std::filesystem::path file_;
  std::filesystem::path log_;
  bool is_there_ = false;
  bool can_append_ = false;  // what is there was written by this process, and ends a line
};

}  // namespace uzushio
