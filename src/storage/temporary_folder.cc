#include "storage/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "storage/local_files.h"

namespace uzushio {

namespace fs = std::filesystem;

namespace {

int OpenFolder(const fs::path& path) { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

// Whether an open folder is still the one at the path.
bool IsAt(int descriptor, const fs::path& path) {
  struct stat ours{};
  struct stat found{};
  return ::fstat(descriptor, &ours) == 0 && ::lstat(path.c_str(), &found) == 0 && ours.st_dev == found.st_dev &&
         ours.st_ino == found.st_ino;
}

bool IsThisUsers(int descriptor) {
  struct stat folder{};
  return ::fstat(descriptor, &folder) == 0 && folder.st_uid == ::geteuid();
}

// What the names of folders begin with that processes of this machine make. On a file system of several machines, locks
// may be of each for itself.
fs::path OfThisMachine(const fs::path& prefix) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return prefix.string() + fmt::format("-{:08x}", XXH32(host.data(), std::strlen(host.data()), 0));
}

// Removes the folders of a prefix that nobody has locked. What can not be removed stays.
void RemoveUnlocked(const fs::path& prefix) {
  const auto names = ListFolder(ParentOf(prefix));
  if (!names.ok()) return;
  const std::string beginning = prefix.filename().string() + ".";
  for (const std::string& name : *names) {
    if (!name.starts_with(beginning)) continue;
    const fs::path path = ParentOf(prefix) / name;
    const int folder = OpenFolder(path);
    if (folder < 0) continue;
    std::error_code error;
    const bool is_left = IsThisUsers(folder) && ::flock(folder, LOCK_EX | LOCK_NB) == 0 && IsAt(folder, path);
    if (is_left) fs::remove_all(path, error);
    ::close(folder);
  }
}

}  // namespace

arrow::Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::Make(const fs::path& prefix) {
  std::string name = prefix.string() + ".XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    return arrow::Status::IOError("cannot make a folder ", name, ": ", std::strerror(errno));
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(name));
}

arrow::Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::MakeAfterKilled(const fs::path& prefix) {
  const fs::path of_host = OfThisMachine(prefix);
  RemoveUnlocked(of_host);
  // Another process may take one for left before it is locked: then the next is made.
  constexpr int kMostTaken = 100;
  for (int taken = 0; taken < kMostTaken; ++taken) {
    ARROW_ASSIGN_OR_RAISE(auto folder, Make(of_host));
    folder->lock_ = OpenFolder(folder->path_);
    if (folder->lock_ < 0) {
      if (errno == ENOENT) continue;
      // Unlocked, others would take it for left.
      return arrow::Status::IOError("cannot open the folder ", folder->path_.string(), ": ", std::strerror(errno));
    }
    if (::flock(folder->lock_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) continue;
      return folder;  // nobody can lock here, nor removes what is left
    }
    if (IsAt(folder->lock_, folder->path_)) return folder;
  }
  return arrow::Status::IOError("cannot keep a folder ", of_host.string(), ".*: each is removed as soon as it is made");
}

void TemporaryFolder::RemoveLeft(const fs::path& prefix) { RemoveUnlocked(OfThisMachine(prefix)); }

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
  if (lock_ >= 0) ::close(lock_);
}

arrow::Status TemporaryFolder::About(const arrow::Status& status, const std::string& name) const {
  if (status.ok()) return status;
  std::string message = status.message();
  const std::string folder = path_.string();
  for (size_t at = message.find(folder); at != std::string::npos; at = message.find(folder, at + name.size())) {
    message.replace(at, folder.size(), name);
  }
  return status.WithMessage(message);
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
