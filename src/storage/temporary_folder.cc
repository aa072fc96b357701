#include "storage/temporary_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "storage/local_files.h"

namespace uzushio {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOurs = ".uzushio-";
constexpr std::string_view kPattern = "XXXXXX";

// Opens a folder and locks it; -1 where that can not be done, or another holds it and it is not waited for.
int OpenLocked(const fs::path& folder, int how) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return -1;
  int locked = 0;
  do {
    locked = ::flock(opened, how);
  } while (locked != 0 && errno == EINTR);
  const bool is_without_locks = locked != 0 && errno != EWOULDBLOCK && (how & LOCK_NB) == 0;  // of this file system
  if (locked == 0 || is_without_locks) return opened;
  ::close(opened);
  return -1;
}

bool IsAt(int opened, const fs::path& folder) {
  struct stat ours{};
  struct stat found{};
  return ::fstat(opened, &ours) == 0 && ::lstat(folder.c_str(), &found) == 0 && ours.st_dev == found.st_dev &&
         ours.st_ino == found.st_ino;
}

// Removes folders of this prefix that nobody holds.
void RemoveLeft(const fs::path& prefix) {
  const std::string begin = prefix.filename().string() + std::string(kOurs);
  const auto names = ListFolder(ParentOf(prefix));
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!name.starts_with(begin) || name.size() != begin.size() + kPattern.size()) continue;
    const fs::path folder = ParentOf(prefix) / name;
    const int lock = OpenLocked(folder, LOCK_EX | LOCK_NB);
    if (lock < 0) continue;
    std::error_code error;
    if (IsAt(lock, folder)) fs::remove_all(folder, error);
    ::close(lock);
  }
}

}  // namespace

arrow::Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::Make(const fs::path& prefix) {
  RemoveLeft(prefix);
  while (true) {
    std::string name = prefix.string() + std::string(kOurs) + std::string(kPattern);
    if (::mkdtemp(name.data()) == nullptr) {
      return arrow::Status::IOError("cannot make a folder ", name, ": ", std::strerror(errno));
    }
    const int lock = OpenLocked(name, LOCK_EX);
    // Between these two, another process may have taken it for one that was left.
    if (lock >= 0 && IsAt(lock, name)) return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(name, lock));
    const int error = errno;
    if (lock >= 0) ::close(lock);
    if (lock < 0 && error != ENOENT) {
      return arrow::Status::IOError("cannot open the folder ", name, ": ", std::strerror(error));
    }
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
  ::close(lock_);
}

arrow::Status PutInPlace(const fs::path& from, const fs::path& to, bool overwrite) {
  ARROW_RETURN_NOT_OK(Sync(from));
  if (overwrite) return Rename(from, to);
  int renamed = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  if (renamed != 0 && (errno == EINVAL || errno == ENOSYS)) {  // this file system can not
    renamed = ::link(from.c_str(), to.c_str());
    if (renamed == 0) ::unlink(from.c_str());
  }
  if (renamed != 0 && errno == EEXIST) {
    return arrow::Status::Invalid("--output ", to.string(), ": something has come to this place meanwhile; ",
                                  "choose another name, or --overwrite");
  }
  if (renamed != 0) return arrow::Status::IOError("cannot write ", to.string(), ": ", std::strerror(errno));
  return Sync(ParentOf(to));
}

}  // namespace uzushio
