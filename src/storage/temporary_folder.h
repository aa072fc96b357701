// Folders that go when they are no longer needed.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace uzushio {

// A new local folder, which goes with all in it when this does.
class TemporaryFolder {
 public:
  // Its name begins with `prefix`.
  static arrow::Result<std::unique_ptr<TemporaryFolder>> Make(const std::filesystem::path& prefix);
  // The same; those that processes of this user and this machine have made so with the same prefix, and left when they
  // were killed, are removed.
  static arrow::Result<std::unique_ptr<TemporaryFolder>> MakeAfterKilled(const std::filesystem::path& prefix);
  // Removes only what they have left.
  static void RemoveLeft(const std::filesystem::path& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  // An error about what is in it, with the name of what that is a copy of in place of its path.
  arrow::Status About(const arrow::Status& status, const std::string& name) const;

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
  int lock_ = -1;  // the folder, which is locked (flock) as long as this process lives; or none
};

// Puts a finished file in its place, on the disk; both on one file system. Errors: something is in the place, unless
// `overwrite`.
arrow::Status PutInPlace(const std::filesystem::path& from, const std::filesystem::path& to, bool overwrite);

}  // namespace uzushio
