// What is done with objects on a store, by whatever library reaches it.
#pragma once

#include <arrow/filesystem/filesystem.h>
#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace uzushio {

// An object is written whole or not at all, but where `puts_empty_first` says so, and a listing has what was written
// before. Paths are those of the store, BUCKET/FOLDER/NAME. Several threads may call it.
class StoreFiles {
 public:
  virtual ~StoreFiles() = default;
  StoreFiles(const StoreFiles&) = delete;
  StoreFiles& operator=(const StoreFiles&) = delete;

  // The objects below a folder, with their bytes, by paths; none where there is no folder.
  virtual arrow::Result<std::map<std::string, int64_t>> List(const std::string& folder) = 0;
  virtual arrow::Result<bool> Has(const std::string& path) = 0;
  // Nothing where there is none.
  virtual arrow::Result<std::optional<std::string>> Read(const std::string& path) = 0;
  // `write` fills the object; an error of it leaves nothing.
  virtual arrow::Status Write(const std::string& path,
                              const std::function<arrow::Status(arrow::io::OutputStream*)>& write) = 0;
  // Whether an object that is written is there at once, empty, as Arrow makes those of Azure. What replaces one, or
  // has to be whole, is then written under another name, and copied at once.
  virtual bool puts_empty_first() const { return false; }
  virtual arrow::Status Copy(const std::string& /*from*/, const std::string& to) {
    return arrow::Status::NotImplemented(to, ": is not copied here");
  }
  // Nothing may be there.
  virtual arrow::Status Delete(const std::string& path) = 0;
  // To a path where no object is. A stop leaves the object at either path or at both.
  virtual arrow::Status Move(const std::string& from, const std::string& to) = 0;
  // What the store has for a folder in which no object is, with folders in it; errors do not matter.
  virtual void DropIfEmpty(const std::string& folder) = 0;
  // The folder with all that is in it; nothing may be there.
  virtual arrow::Status DropTree(const std::string& folder) = 0;
  // Whether folders stay when their last object is deleted.
  virtual bool keeps_folders() const = 0;

 protected:
  StoreFiles() = default;
};

// By Arrow.
std::shared_ptr<StoreFiles> FilesOfArrow(std::shared_ptr<arrow::fs::FileSystem> filesystem);

}  // namespace uzushio
