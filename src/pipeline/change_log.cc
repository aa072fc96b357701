#include "pipeline/change_log.h"

#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "storage/local_files.h"

namespace uzushio {
namespace fs = std::filesystem;

ChangeLog::ChangeLog(fs::path file) : file_(std::move(file)), log_(file_.string() + ".log") {}

arrow::Result<std::vector<nlohmann::json>> ChangeLog::Read() {
  std::vector<nlohmann::json> changes;
  ARROW_ASSIGN_OR_RAISE(is_there_, PathExists(log_));
  if (!is_there_) return changes;
  std::error_code error;
  std::ifstream stream(log_, std::ios::binary);
  std::stringstream text;
  if (stream.is_open()) text << stream.rdbuf();
  if (!fs::is_regular_file(log_, error) || !stream.is_open() || stream.bad()) {
    return arrow::Status::IOError(log_.string(), ": can not be read, and is no log of a run; move it away");
  }
  std::string_view left = text.view();
  for (size_t end = 0; (end = left.find('\n')) != std::string_view::npos; left.remove_prefix(end + 1)) {
    changes.push_back(ParseJsonObject(left.substr(0, end)));
    if (changes.back().is_null()) {
      return arrow::Status::Invalid(log_.string(), ": damaged; remove this file, and what it notes is not known");
    }
  }
  return changes;
}

arrow::Status ChangeLog::Add(const nlohmann::json& change, const std::function<nlohmann::json()>& whole) {
  if (!can_append_) return WriteFile(whole());
  is_there_ = true;
  const arrow::Status status = AppendToFile(log_, JsonText(change) + "\n");
  can_append_ = status.ok();
  return status;
}

// After a stop between the two, the log says of each step but the changed one what the file says, and of that one what
// was before the change, which was not noted.
arrow::Status ChangeLog::WriteFile(const nlohmann::json& whole) {
  ARROW_RETURN_NOT_OK(WriteFileAtomically(file_, JsonText(whole, 2) + "\n"));
  ARROW_RETURN_NOT_OK(RemoveTree(log_));
  is_there_ = false;
  can_append_ = true;
  return arrow::Status::OK();
}

}  // namespace uzushio
