// Folders that go when they are no longer needed.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <utility>

namespace uzushio {

// A new local folder, which goes with all in it when this does. It is locked as long: what a process that was killed
// has left is removed by the next one that makes a folder of the same prefix.
class TemporaryFolder {
 public:
  // Its name is `prefix`.uzushio-XXXXXX.
  static arrow::Result<std::unique_ptr<TemporaryFolder>> Make(const std::filesystem::path& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_;  // the folder, opened
};

// Puts a finished file in its place, on the disk; both on one file system. Errors: something is in the place, unless
// `overwrite`.
arrow::Status PutInPlace(const std::filesystem::path& from, const std::filesystem::path& to, bool overwrite);

}  // namespace uzushio
