#include "storage/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace uzushio {

arrow::Result<std::unique_ptr<LockFile>> LockFile::Try(const std::filesystem::path& path) {
  const auto failed = [&path](const char* what, int error) {
    return arrow::Status::IOError(what, " ", path.string(), ": ", std::strerror(error));
  };
  while (true) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return failed("cannot create", errno);
    std::unique_ptr<LockFile> lock(new LockFile(path, descriptor));
    int locked = 0;
    do {
      locked = ::flock(descriptor, LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    const int error = errno;
    if (locked == 0 && lock->held()) return lock;
    // Not the destructor's way: the file is another's. After a lock, it has gone with that other's: once more.
    ::close(std::exchange(lock->descriptor_, -1));
    if (locked != 0 && error == EWOULDBLOCK) return nullptr;
    if (locked != 0) return failed("cannot lock", error);
  }
}

LockFile::~LockFile() {
  if (descriptor_ < 0) return;
  if (held()) ::unlink(path_.c_str());  // before the lock goes: who waits for this file finds it is no longer the one
  ::close(descriptor_);
}

bool LockFile::held() const {
  struct stat ours{};
  struct stat found{};
  return ::fstat(descriptor_, &ours) == 0 && ::lstat(path_.c_str(), &found) == 0 && ours.st_dev == found.st_dev &&
         ours.st_ino == found.st_ino;
}

}  // namespace uzushio
