// Preloaded into a program: counts its changes of the file system from 0, and does something at one of them.
//
//   STOP_AT=N      kills the program before the change
//   FAIL_AT=N      the change fails with the error FAIL_ERROR (a number of errno); it is not made
//   STOP_COUNT=F   a file for how many changes there were, when the program has come to its end
//   CHANGES=F      a file that gets the name of each change as it comes, such as `rename`
//   SYNCED=DIR     what fsync has made last: a line for each in DIR/log, and the files in DIR by the numbers of their
//   inodes
//
// The lines of DIR/log, for what would be on the disk after a loss of power (tests/support/crashes.py reads them):
//
//   file INODE BYTES           a file was synced when it had so many bytes
//   folder INODE               a folder was synced; the lines behind it are its entries
//   entry INODE KIND NAME      of that folder: `file` or `folder`
//
// With SYNCED or CHANGES nothing is really synced, which takes most of the time. Programs that the program starts are
// left alone.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

std::atomic<long> changes = 0;

const char* const kChanges = std::getenv("CHANGES");
const char* const kSynced = std::getenv("SYNCED");

long Number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? -1 : std::atol(text);
}

// By the system itself, so that it is no change.
void Append(const std::string& file, const std::string& lines, int more = O_APPEND) {
  const long opened = syscall(SYS_openat, AT_FDCWD, file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | more, 0666);
  syscall(SYS_write, opened, lines.data(), lines.size());
  syscall(SYS_close, opened);
}

// Whether the change is to fail; errno says how.
bool Fails(const char* name) {
  static const long kStop = Number("STOP_AT");
  static const long kFail = Number("FAIL_AT");
  const long now = changes++;
  if (now == kStop) std::raise(SIGKILL);
  if (kChanges != nullptr) Append(kChanges, std::string(name) + "\n");
  if (now == kFail) errno = static_cast<int>(Number("FAIL_ERROR"));
  return now == kFail;
}

// The C library's own.
template <typename F>
F* Next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// Notes what a file or a folder has. Files get a second name, and folders stay open, so that no other has their number.
void NoteSynced(int file) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::string to = kSynced;
  struct stat about{};
  if (fstat(file, &about) != 0) return;
  if (!S_ISDIR(about.st_mode)) {
    Append(to + "/log", "file " + std::to_string(about.st_ino) + " " + std::to_string(about.st_size) + "\n");
    return;
  }
  std::string lines = "folder " + std::to_string(about.st_ino) + "\n";
  DIR* const folder = fdopendir(openat(file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    struct stat found{};
    if (name == "." || name == ".." || fstatat(file, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const std::string inode = std::to_string(found.st_ino);
    if (S_ISDIR(found.st_mode)) openat(file, entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (S_ISREG(found.st_mode)) linkat(file, entry->d_name, AT_FDCWD, (to + "/" + inode).c_str(), 0);
    lines += "entry " + inode + (S_ISDIR(found.st_mode) ? " folder " : " file ") + name + "\n";
  }
  closedir(folder);
  Append(to + "/log", lines);
}

int Synced(const char* name, int file) {
  if (Fails(name)) return -1;
  if (kSynced != nullptr) NoteSynced(file);
  return kSynced != nullptr || kChanges != nullptr ? 0 : Next<int(int)>(name)(file);
}

// Of files; what is said on a terminal or to a pipe, and what is kept in memory, is none of the file system's.
bool WriteFails(const char* name, int file) {
  struct stat about{};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  std::array<char, 8> place{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const bool is_known = readlink(link.c_str(), place.data(), place.size() - 1) > 0;
  return !(is_known && std::string(place.data()) == "/memfd:") && Fails(name);
}

// Of files that are made, or made empty.
bool OpenFails(int flags) {
  return ((flags & O_CREAT) != 0 || (flags & O_TRUNC) != 0 || (flags & O_TMPFILE) == O_TMPFILE) && Fails("open");
}

mode_t ModeOf(int flags, std::va_list more) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

struct AtEnds {
  AtEnds() { unsetenv("LD_PRELOAD"); }
  ~AtEnds() {
    if (const char* path = std::getenv("STOP_COUNT")) Append(path, std::to_string(changes), O_TRUNC);
  }
} at_ends;

}  // namespace

// Calls by their names, with what they are given.
#define CHANGE(RESULT, NAME, PARAMETERS, ARGUMENTS, EXCEPT) \
  RESULT NAME PARAMETERS EXCEPT { return Fails(#NAME) ? -1 : Next<RESULT PARAMETERS>(#NAME) ARGUMENTS; }
#define WRITE(NAME, PARAMETERS, ARGUMENTS) \
  ssize_t NAME PARAMETERS { return WriteFails(#NAME, file) ? -1 : Next<ssize_t PARAMETERS>(#NAME) ARGUMENTS; }
#define OPEN(NAME)                                                                             \
  int NAME(const char* path, int flags, ...) {                                                 \
    std::va_list more;                                                                         \
    va_start(more, flags);                                                                     \
    const mode_t mode = ModeOf(flags, more);                                                   \
    va_end(more);                                                                              \
    return OpenFails(flags) ? -1 : Next<int(const char*, int, ...)>(#NAME)(path, flags, mode); \
  }

extern "C" {

CHANGE(int, rename, (const char* from, const char* to), (from, to), noexcept)
CHANGE(int, renameat2, (int a, const char* from, int b, const char* to, unsigned flags), (a, from, b, to, flags),
       noexcept)
CHANGE(int, link, (const char* from, const char* to), (from, to), noexcept)
CHANGE(int, unlink, (const char* path), (path), noexcept)
CHANGE(int, unlinkat, (int folder, const char* path, int flags), (folder, path, flags), noexcept)
CHANGE(int, rmdir, (const char* path), (path), noexcept)
CHANGE(int, remove, (const char* path), (path), noexcept)
CHANGE(int, mkdir, (const char* path, mode_t mode), (path, mode), noexcept)
CHANGE(int, mkostemp, (char* path, int flags), (path, flags), )

char* mkdtemp(char* path) noexcept { return Fails("mkdtemp") ? nullptr : Next<char*(char*)>("mkdtemp")(path); }

int fsync(int file) { return Synced("fsync", file); }
int fdatasync(int file) { return Synced("fdatasync", file); }

OPEN(open)
OPEN(open64)

FILE* fopen(const char* path, const char* mode) {
  return mode[0] != 'r' && Fails("fopen") ? nullptr : Next<FILE*(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return mode[0] != 'r' && Fails("fopen") ? nullptr : Next<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

WRITE(write, (int file, const void* data, size_t size), (file, data, size))
WRITE(writev, (int file, const iovec* parts, int count), (file, parts, count))
WRITE(pwrite, (int file, const void* data, size_t size, off_t at), (file, data, size, at))
WRITE(pwrite64, (int file, const void* data, size_t size, off64_t at), (file, data, size, at))
WRITE(pwritev, (int file, const iovec* parts, int count, off_t at), (file, parts, count, at))
WRITE(pwritev64, (int file, const iovec* parts, int count, off64_t at), (file, parts, count, at))

}  // extern "C"
