#include "io/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace uzushio {
namespace fs = std::filesystem;
namespace {

constexpr const char* kParts = "_parts";
constexpr const char* kLock = "_lock";

arrow::Status IoError(const std::string& what, const fs::path& path) {
  return arrow::Status::IOError(what, " ", path.string(), ": ", std::strerror(errno));
}

arrow::Status Sync(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return IoError("cannot open", path);
  const bool ok = ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  return ok ? arrow::Status::OK() : IoError("cannot sync", path);
}

arrow::Status SyncTree(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_directory()) ARROW_RETURN_NOT_OK(Sync(entry.path()));
  }
  if (error) return arrow::Status::IOError("cannot list ", folder.string(), ": ", error.message());
  return Sync(folder);
}

arrow::Result<nlohmann::json> ReadJson(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  nlohmann::json json = nlohmann::json::parse(text.str(), nullptr, false);
  if (!file || !json.is_object()) return arrow::Status::Invalid(path.string(), ": damaged or unreadable");
  return json;
}

fs::path ParentOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

arrow::Status Rename(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return IoError("cannot rename " + from.string() + " to", to);
  return Sync(ParentOf(to));
}

arrow::Status MakeFolder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? arrow::Status::IOError("cannot create ", path.string(), ": ", error.message()) : arrow::Status::OK();
}

arrow::Status RemoveTree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  return error ? arrow::Status::IOError("cannot remove ", path.string(), ": ", error.message()) : arrow::Status::OK();
}

}  // namespace

arrow::Status WriteFileAtomically(const fs::path& path, const std::string& content) {
  const fs::path temporary = path.string() + ".tmp";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return IoError("cannot create", temporary);
  size_t written = 0;
  bool ok = true;
  while (ok && written < content.size()) {
    const ssize_t count = ::write(fd, content.data() + written, content.size() - written);
    ok = count >= 0;
    if (ok) written += static_cast<size_t>(count);
  }
  ok = ok && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  if (!ok) return IoError("cannot write", temporary);
  return Rename(temporary, path);
}

OutputFolder::OutputFolder(fs::path path, nlohmann::json run) : path_(std::move(path)), run_(std::move(run)) {
  const std::string name = "." + path_.filename().string();
  work_ = ParentOf(path_) / (name + ".partial");
  replaced_ = ParentOf(path_) / (name + ".replaced");
}

// A run that ended before any part was finished leaves nothing.
OutputFolder::~OutputFolder() {
  if (lock_ < 0) return;
  std::error_code error;
  if (fs::is_empty(work_ / kParts, error) && !error) fs::remove_all(work_, error);
  ::close(lock_);
}

arrow::Result<std::unique_ptr<OutputFolder>> OutputFolder::Open(const fs::path& path, const nlohmann::json& run,
                                                                bool overwrite) {
  fs::path normal = path.lexically_normal();
  if (normal.filename().empty()) normal = normal.parent_path();
  if (normal.filename().empty() || normal.filename() == "." || normal.filename() == "..") {
    return arrow::Status::Invalid("--output ", path.string(), ": give the name of a new folder");
  }
  std::unique_ptr<OutputFolder> folder(new OutputFolder(normal, run));
  ARROW_RETURN_NOT_OK(folder->Prepare(overwrite));
  return folder;
}

// Whether the output in place is this run's. False when there is none, or one that may be overwritten.
arrow::Result<bool> OutputFolder::CheckCommitted(bool overwrite) {
  if (!fs::exists(path_) || (fs::is_directory(path_) && fs::is_empty(path_))) return false;
  const bool committed = fs::exists(path_ / kSuccessMark);
  const bool renamed = fs::exists(path_ / kIncompleteMark);
  if (!committed && !renamed) {
    return arrow::Status::Invalid(path_.string(), ": exists and is no output of uzushio; choose another folder");
  }
  if (overwrite) return false;
  ARROW_ASSIGN_OR_RAISE(const auto mark, ReadJson(path_ / (renamed ? kIncompleteMark : kSuccessMark)));
  if (mark.value("run", nlohmann::json()) != run_) {
    return arrow::Status::Invalid(path_.string(), ": holds the output of a run with other inputs or another ",
                                  "configuration; choose another folder, or --overwrite");
  }
  success_ = renamed ? mark.value("success", nlohmann::json()) : mark;
  if (renamed) ARROW_RETURN_NOT_OK(FinishCommit());
  return true;
}

arrow::Status OutputFolder::Prepare(bool overwrite) {
  ARROW_ASSIGN_OR_RAISE(done_, CheckCommitted(overwrite));
  if (done_) return arrow::Status::OK();
  std::error_code error;
  fs::create_directories(work_, error);
  if (error) return arrow::Status::Invalid("--output ", path_.string(), ": cannot create it: ", error.message());
  ARROW_RETURN_NOT_OK(Lock());
  const nlohmann::json mark = {{"run", run_}};
  if (fs::exists(work_ / kIncompleteMark)) {
    const auto found = ReadJson(work_ / kIncompleteMark);
    if (found.ok() && found->value("run", nlohmann::json()) == run_) return MakeFolder(work_ / kParts);
    if (found.ok() && !overwrite) {
      return arrow::Status::Invalid(work_.string(), ": an unfinished run with other inputs or another configuration; ",
                                    "finish it, remove it, or --overwrite");
    }
    for (const auto& entry : fs::directory_iterator(work_)) {
      if (entry.path().filename() != kLock) ARROW_RETURN_NOT_OK(RemoveTree(entry.path()));
    }
  }
  ARROW_RETURN_NOT_OK(WriteFileAtomically(work_ / kIncompleteMark, mark.dump(2) + "\n"));
  return MakeFolder(work_ / kParts);
}

arrow::Status OutputFolder::Lock() {
  const fs::path file = work_ / kLock;
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) return IoError("cannot create", file);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    return arrow::Status::Invalid(path_.string(), ": another process is writing this output now");
  }
  return arrow::Status::OK();
}

arrow::Result<nlohmann::json> OutputFolder::FinishedPart(const std::string& part) const {
  const fs::path file = work_ / kParts / (part + ".json");
  if (!fs::exists(file)) return nlohmann::json();
  return ReadJson(file);
}

arrow::Status OutputFolder::FinishPart(const std::string& part, const nlohmann::json& record) {
  return WriteFileAtomically(work_ / kParts / (part + ".json"), record.dump() + "\n");
}

arrow::Status OutputFolder::Commit(nlohmann::json success) {
  const std::string identity = run_.dump();
  std::array<char, 17> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(XXH64(identity.data(), identity.size(), 0)));
  success["run"] = run_;
  success["run_xxh64"] = hash.data();
  success_ = std::move(success);
  const nlohmann::json mark = {{"run", run_}, {"success", success_}};
  ARROW_RETURN_NOT_OK(SyncTree(work_));
  ARROW_RETURN_NOT_OK(WriteFileAtomically(work_ / kIncompleteMark, mark.dump(2) + "\n"));
  ARROW_RETURN_NOT_OK(RemoveTree(replaced_));
  if (fs::exists(path_) && !fs::is_empty(path_)) ARROW_RETURN_NOT_OK(Rename(path_, replaced_));
  ARROW_RETURN_NOT_OK(Rename(work_, path_));
  return FinishCommit();
}

// What is left once the folder is in its place. A stop anywhere in here is made good by the next run.
arrow::Status OutputFolder::FinishCommit() {
  ARROW_RETURN_NOT_OK(RemoveTree(path_ / kParts));
  ARROW_RETURN_NOT_OK(RemoveTree(path_ / kLock));
  ARROW_RETURN_NOT_OK(WriteFileAtomically(path_ / kSuccessMark, success_.dump(2) + "\n"));
  ARROW_RETURN_NOT_OK(RemoveTree(replaced_));
  ARROW_RETURN_NOT_OK(RemoveTree(path_ / kIncompleteMark));
  return Sync(path_);
}

}  // namespace uzushio
