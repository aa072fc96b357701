// Changes to a file that is too large to be written at each of them.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace uzushio {

// Objects, a line each, in FILE.log beside FILE, an object that is written whole at the begin of a run and at its end:
// a change costs what it says, however large the file is. The log's first line is {"of": checksum of the file}: beside
// another file, or none, it says nothing. So a stop between the file and the log does no harm, and who reads while
// another writes has what was there at one time.
class ChangeLog {
 public:
  explicit ChangeLog(std::filesystem::path file);

  // The file, null where there is none, and what has changed since it was written, in order. A change that a stop has
  // cut off was not noted. Errors: one is damaged, or is none of ours.
  struct Contents {
    nlohmann::json file;
    std::vector<nlohmann::json> changes;
  };
  arrow::Result<Contents> Read();
  // Whether there is a log; after Read.
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
  std::string checksum_;     // of the file that this process has written
};

}  // namespace uzushio
