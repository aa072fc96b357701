#include "pipeline/change_log.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "pipeline/checksum.h"
#include "storage/local_files.h"

namespace uzushio {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOf = "of";

// Nothing: there is none. Errors: what is there is none of ours.
arrow::Result<std::optional<std::string>> ReadLog(const fs::path& log) {
  ARROW_ASSIGN_OR_RAISE(const bool is_there, PathExists(log));
  if (!is_there) return std::nullopt;
  auto text = ReadSmallFile(log);
  if (text.ok()) return *std::move(text);
  ARROW_ASSIGN_OR_RAISE(const bool is_left, PathExists(log));
  if (!is_left) return std::nullopt;  // a run that ends has put it into the file meanwhile
  return text.status();
}

arrow::Status Damaged(const fs::path& path) {
  return arrow::Status::Invalid(path.string(), ": damaged; remove this file, and what it notes is not known");
}

}  // namespace

ChangeLog::ChangeLog(fs::path file) : file_(std::move(file)), log_(file_.string() + ".log") {}

// The log first: a file that is written after that has all that it says, and is not the one that it is of.
arrow::Result<ChangeLog::Contents> ChangeLog::Read() {
  Contents contents;
  ARROW_ASSIGN_OR_RAISE(const auto log, ReadLog(log_));
  is_there_ = log.has_value();
  ARROW_ASSIGN_OR_RAISE(const bool has_file, PathExists(file_));
  if (!has_file) return contents;
  auto file = ReadJsonObject(file_);
  if (!file.ok()) return file.status().IsInvalid() ? Damaged(file_) : file.status();
  contents.file = *std::move(file);
  const std::string checksum = ChecksumOf(JsonText(contents.file));
  std::string_view left = log ? *log : std::string_view();
  bool is_first = true;
  for (size_t end = 0; (end = left.find('\n')) != std::string_view::npos; left.remove_prefix(end + 1)) {
    nlohmann::json line = ParseJsonObject(left.substr(0, end));
    if (line.is_null() || (is_first && !MemberOf(line, kOf).is_string())) return Damaged(log_);
    if (is_first && MemberOf(line, kOf) != checksum) break;
    if (!is_first) contents.changes.push_back(std::move(line));
    is_first = false;
  }
  return contents;
}

arrow::Status ChangeLog::Add(const nlohmann::json& change, const std::function<nlohmann::json()>& whole) {
  if (!can_append_) return WriteFile(whole());
  const std::string begin = is_there_ ? "" : JsonText(nlohmann::json{{kOf, checksum_}}) + "\n";
  is_there_ = true;
  const arrow::Status status = AppendToFile(log_, begin + JsonText(change) + "\n");
  can_append_ = status.ok();
  return status;
}

arrow::Status ChangeLog::WriteFile(const nlohmann::json& whole) {
  const std::string text = JsonText(whole, 2) + "\n";
  can_append_ = false;
  ARROW_RETURN_NOT_OK(WriteFileAtomically(file_, text));
  ARROW_RETURN_NOT_OK(RemoveFile(log_));
  is_there_ = false;
  can_append_ = true;
  checksum_ = ChecksumOf(JsonText(ParseJsonObject(text)));  // of what is read from it again
  return arrow::Status::OK();
}

}  // namespace uzushio
