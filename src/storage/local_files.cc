#include "storage/local_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "storage/temporary_folder.h"

namespace uzushio {
namespace fs = std::filesystem;
namespace {

arrow::Status IoError(const std::string& what, const fs::path& path) {
  return arrow::Status::IOError(what, " ", path.string(), ": ", std::strerror(errno));
}

arrow::Status IoError(const std::string& what, const fs::path& path, const std::error_code& error) {
  return arrow::Status::IOError(what, " ", path.string(), ": ", error.message());
}

arrow::Result<fs::file_status> StatusOf(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) return IoError("cannot look at", path, error);
  return status;
}

// Writes and syncs; false with errno set.
bool WriteAll(int fd, const std::string& content) {
  for (size_t written = 0; written < content.size();) {
    const ssize_t count = ::write(fd, content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    written += static_cast<size_t>(count);
  }
  return ::fsync(fd) == 0;
}

}  // namespace

arrow::Result<bool> PathExists(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const fs::file_status status, StatusOf(path));
  return fs::exists(status);
}

arrow::Result<bool> IsFolder(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const fs::file_status status, StatusOf(path));
  return fs::is_directory(status);
}

arrow::Result<bool> IsEmptyFolder(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(path));
  if (!is_folder) return false;
  ARROW_ASSIGN_OR_RAISE(const auto names, ListFolder(path));
  return names.empty();
}

arrow::Result<bool> IsMountPoint(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(path));
  if (!is_folder) return false;
  ARROW_ASSIGN_OR_RAISE(const fs::path whole, CanonicalPath(path));
  struct stat here{};
  struct stat above{};
  if (::stat(whole.c_str(), &here) != 0) return IoError("cannot look at", whole);
  if (::stat(ParentOf(whole).c_str(), &above) != 0) return IoError("cannot look at", ParentOf(whole));
  if (here.st_dev != above.st_dev) return true;
  // Folders of one file system may be mounted in it once more. The fifth field is the place, white space as \040.
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string place;
    for (int i = 0; i < 5; ++i) fields >> place;
    std::string plain;
    for (size_t i = 0; i < place.size(); ++i) {
      const bool escaped = place[i] == '\\' && i + 3 < place.size();
      plain += escaped ? static_cast<char>(std::stoi(place.substr(i + 1, 3), nullptr, 8)) : place[i];
      if (escaped) i += 3;
    }
    if (plain == whole.native()) return true;
  }
  return false;
}

arrow::Result<fs::path> AbsolutePath(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (error) return IoError("cannot find", path, error);
  return absolute.lexically_normal();
}

arrow::Result<fs::path> CanonicalPath(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const fs::path absolute, AbsolutePath(path));
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(absolute, error);
  if (error) return IoError("cannot find", path, error);
  return canonical.has_filename() ? canonical : canonical.parent_path();
}

bool IsIn(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

arrow::Result<std::vector<TreeEntry>> ListTree(const fs::path& folder) {
  std::vector<TreeEntry> entries;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::file_status status = entry->symlink_status(error);
    if (error) break;
    entries.push_back({entry->path().lexically_relative(folder).generic_string(), fs::is_directory(status)});
  }
  if (error) return IoError("cannot list", folder, error);
  std::ranges::sort(entries, {}, &TreeEntry::path);
  return entries;
}

arrow::Result<std::vector<std::string>> ListFolder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return IoError("cannot list", folder, error);
  std::ranges::sort(names);
  return names;
}

arrow::Status Sync(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return IoError("cannot open", path);
  const arrow::Status status = ::fsync(fd) == 0 ? arrow::Status::OK() : IoError("cannot sync", path);
  ::close(fd);
  return status;
}

arrow::Status MakeFolder(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const bool there, IsFolder(path));
  if (there) return arrow::Status::OK();
  if (path.has_parent_path() && path.parent_path() != path) ARROW_RETURN_NOT_OK(MakeFolder(path.parent_path()));
  std::error_code error;
  fs::create_directory(path, error);
  return error ? IoError("cannot create", path, error) : Sync(ParentOf(path));
}

arrow::Status RemoveTree(const fs::path& path) {
  std::error_code error;
  const auto removed = fs::remove_all(path, error);
  if (error) return IoError("cannot remove", path, error);
  return removed > 0 ? Sync(ParentOf(path)) : arrow::Status::OK();
}

arrow::Status RemoveFile(const fs::path& path) {
  std::error_code error;
  const bool removed = fs::remove(path, error);
  if (error) return IoError("cannot remove", path, error);
  return removed ? Sync(ParentOf(path)) : arrow::Status::OK();
}

arrow::Status Rename(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return IoError("cannot rename " + from.string() + " to", to);
  return Sync(ParentOf(to));
}

fs::path ParentOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

namespace {
fs::path TemporaryOf(const fs::path& path) { return path.string() + ".tmp"; }
}  // namespace

arrow::Status RemoveUnfinished(const fs::path& path) { return RemoveFile(TemporaryOf(path)); }

arrow::Status WriteFileAtomically(const fs::path& path, const std::string& content) {
  const fs::path temporary = TemporaryOf(path);
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return IoError("cannot create", temporary);
  const arrow::Status status = WriteAll(fd, content) ? arrow::Status::OK() : IoError("cannot write", temporary);
  ::close(fd);
  ARROW_RETURN_NOT_OK(status);
  return Rename(temporary, path);
}

namespace {

arrow::Status WriteOpened(int fd, const std::string& content, const fs::path& path) {
  bool written = true;
  for (size_t done = 0; written && done < content.size();) {
    const ssize_t count = ::write(fd, content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    written = count >= 0;
    if (written) done += static_cast<size_t>(count);
  }
  const arrow::Status status = written ? arrow::Status::OK() : IoError("cannot write", path);
  ::close(fd);
  return status;
}

}  // namespace

arrow::Result<bool> IsOpenFile(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const fs::path absolute, AbsolutePath(path));
  return std::ranges::any_of(std::array{"/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"},
                             [&absolute](const char* place) { return IsIn(absolute, place); });
}

arrow::Status WriteNamedFile(const fs::path& path, const std::string& content) {
  ARROW_ASSIGN_OR_RAISE(const fs::file_status status, StatusOf(path));
  ARROW_ASSIGN_OR_RAISE(const bool is_open, IsOpenFile(path));
  if (is_open || (fs::exists(status) && !fs::is_regular_file(status))) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    return fd < 0 ? IoError("cannot open", path) : WriteOpened(fd, content, path);
  }
  ARROW_ASSIGN_OR_RAISE(const fs::path target, CanonicalPath(path));
  // In a folder that the next call removes when this process is killed.
  ARROW_ASSIGN_OR_RAISE(const auto beside,
                        TemporaryFolder::MakeAfterKilled(ParentOf(target) / ("." + target.filename().string())));
  const fs::path made = beside->path() / "file";
  const int fd = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return IoError("cannot create", made);
  const arrow::Status written = WriteAll(fd, content) ? arrow::Status::OK() : IoError("cannot write", made);
  ::close(fd);
  ARROW_RETURN_NOT_OK(written);
  return Rename(made, target);
}

arrow::Status AppendToFile(const fs::path& path, const std::string& content) {
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path));
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return IoError("cannot create", path);
  const arrow::Status status = WriteAll(fd, content) ? arrow::Status::OK() : IoError("cannot write", path);
  ::close(fd);
  return there || !status.ok() ? status : Sync(ParentOf(path));
}

std::string JsonText(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonText(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

namespace {

// Brackets that are open at once. What is nested deeper than ours may take all of the stack.
size_t MostOpen(std::string_view json) {
  size_t open = 0;
  size_t most = 0;
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text && c == '\\') ++i;
    if (c == '"') in_text = !in_text;
    if (in_text) continue;
    if (c == '[' || c == '{') most = std::max(most, ++open);
    if ((c == ']' || c == '}') && open > 0) --open;
  }
  return most;
}

}  // namespace

nlohmann::json ParseJsonObject(std::string_view text) {
  constexpr size_t kMostOpen = 1024;
  if (MostOpen(text) > kMostOpen) return nullptr;
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() ? json : nlohmann::json();
}

arrow::Result<std::string> ReadSmallFile(const fs::path& path) {
  std::error_code error;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file.is_open()) text << file.rdbuf();
  if (!file.is_open() || file.bad()) return IoError("cannot read", path);
  if (!fs::is_regular_file(path, error))
    return arrow::Status::IOError("cannot read ", path.string(), ": it is no file");
  return std::move(text).str();
}

arrow::Result<nlohmann::json> ReadJsonObject(const fs::path& path) {
  ARROW_ASSIGN_OR_RAISE(const std::string text, ReadSmallFile(path));
  nlohmann::json json = ParseJsonObject(text);
  if (json.is_null()) return arrow::Status::Invalid(path.string(), ": damaged");
  return json;
}

}  // namespace uzushio
