// A place that one process at a time works in.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>

namespace uzushio {

// A file that is locked (flock) as long as this lives. It is made for that and goes with the lock; the system lets go
// of the lock of a process that ends in whatever way.
class LockFile {
 public:
  // Null when another holds it, in this process or in another.
  static arrow::Result<std::unique_ptr<LockFile>> Try(const std::filesystem::path& path);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Whether the file that is locked is still the one at the path. Where somebody has removed it, another process may
  // have locked a new one.
  bool held() const;

 private:
  LockFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace uzushio
