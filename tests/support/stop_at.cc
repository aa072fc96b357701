// Preloaded into a program: kills it at the change of the file system that STOP_AT counts from 0, before it is made.
// STOP_COUNT names a file for how many changes there were, when the program has come to its end.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <fstream>

namespace {

std::atomic<long> changes = 0;

void Change() {
  static const char* const kAt = std::getenv("STOP_AT");
  if (const long now = changes++; kAt != nullptr && now == std::atol(kAt)) std::raise(SIGKILL);
}

// The C library's own.
template <typename F>
F* Next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

struct AtEnd {
  ~AtEnd() {
    if (const char* path = std::getenv("STOP_COUNT")) std::ofstream(path) << changes;
  }
} at_end;

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept {
  Change();
  return Next<int(const char*, const char*)>("rename")(from, to);
}

int unlink(const char* path) noexcept {
  Change();
  return Next<int(const char*)>("unlink")(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  Change();
  return Next<int(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int rmdir(const char* path) noexcept {
  Change();
  return Next<int(const char*)>("rmdir")(path);
}

int remove(const char* path) noexcept {
  Change();
  return Next<int(const char*)>("remove")(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  Change();
  return Next<int(const char*, mode_t)>("mkdir")(path, mode);
}

int fsync(int file) {
  Change();
  return Next<int(int)>("fsync")(file);
}

// Of files that are made, or made empty.
int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & (O_CREAT | O_TRUNC)) != 0) Change();
  return Next<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & (O_CREAT | O_TRUNC)) != 0) Change();
  return Next<int(const char*, int, ...)>("open64")(path, flags, mode);
}

// Of files; what is said on a terminal or to a pipe is none of the file system's.
ssize_t write(int file, const void* data, size_t size) {
  struct stat about{};
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode)) Change();
  return Next<ssize_t(int, const void*, size_t)>("write")(file, data, size);
}

}  // extern "C"
