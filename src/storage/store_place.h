// A folder on an object store: the objects whose names begin with its prefix.
#pragma once

#include <arrow/filesystem/filesystem.h>
#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/hashed_file.h"
#include "storage/inputs.h"
#include "storage/store_files.h"

namespace uzushio {

// Whether a place is named by a URI of a store. Those of `file://` are paths.
bool IsOnStore(const std::string& place);

// The system's folder for temporary data, that of TMPDIR or /tmp: what goes to a store is there until then, unless
// another is chosen. Errors: there is none; `advice` says what to do.
arrow::Result<std::filesystem::path> StagingRoot(const char* advice = "set TMPDIR, or --tmp");

// Whether outputs may lie there: on S3, Google Cloud Storage and Azure, where an object is put whole or not at all.
// Elsewhere what Arrow has begun is there at once (HDFS).
bool IsOutputStore(const std::string& place);

// A store's URI as one text for people and for comparison: `s3a` is `s3`, `gcs` is `gs`, and of Azure it is AzureName
// (storage/azure_store.h); without credentials, percent signs decoded, and without slashes at its end.
std::string StoreName(const std::string& uri);
// An output as messages and summaries name it: without a store's credentials.
std::string NameOfOutput(const std::string& output);

// Objects are put whole or not at all. Names of objects are those below the prefix. Errors name the object.
//
// Where objects are there empty at first (StoreFiles), Put puts a temporary object `.uzushio/put-…` and copies it, and
// one whose name tells its contents (Upload) or whose name is all that counts (PutMark) may be there empty.
class StorePlace {
 public:
  // Errors: Arrow has no file system for the URI, or it names no folder below a bucket.
  static arrow::Result<StorePlace> Locate(const std::string& uri);
  // Of any store, to read there; `located` is where the URI leads.
  static StorePlace ToRead(const InputPlace& located, const std::string& uri);
  StorePlace(std::shared_ptr<StoreFiles> files, std::string path, std::string name)
      : files_(std::move(files)), path_(std::move(path)), name_(std::move(name)) {}
  // A folder in the same one as this.
  StorePlace Beside(const std::string& name) const;

  // For messages; and of an object.
  const std::string& name() const { return name_; }
  std::string NameOf(const std::string& object) const { return name_ + "/" + object; }

  // The objects below a folder of it, or below the prefix, with their bytes.
  arrow::Result<std::map<std::string, int64_t>> List(const std::string& folder = "") const;
  // Nothing where there is none.
  arrow::Result<std::optional<std::string>> Read(const std::string& object) const;
  arrow::Result<bool> Has(const std::string& object) const;
  // Only who has the lock of the place may do so.
  arrow::Status Put(const std::string& object, const std::string& content) const;
  // It may be there without its content, at first or when this fails.
  arrow::Status PutMark(const std::string& object, const std::string& content) const;
  // Removes temporary objects that a stop has left; by who has the lock.
  arrow::Status DropTemporary() const;
  // Nothing may be there. On Azure, what a process that was killed was about to delete is free for others after 15 s.
  arrow::Status Delete(const std::string& object) const;
  // Moves an object of a place that is reached by the same files here; see StoreFiles::Move.
  arrow::Status Take(const StorePlace& from, const std::string& object, const std::string& as) const;
  // Arrow marks folders that have become empty by objects of their own. Removes that of a folder, or of this place, and
  // those below it, if no object lies there.
  void DropIfEmpty(const std::string& folder = "") const;
  // The same for the folders of objects that were deleted, and then this place, where the store keeps folders.
  void DropFoldersOf(const std::vector<std::string>& objects) const;
  // Deletes all that is in the place.
  arrow::Status DropAll() const;
  // Puts a local file, whose bytes and checksum are `written`'s. `on_bytes` gets how many were handed on since the last
  // call. Memory stays below 64 MiB.
  arrow::Status Upload(const std::filesystem::path& file, const WrittenFile& written, const std::string& object,
                       const std::function<void(int64_t)>& on_bytes) const;
  // The nearest folder around, below the bucket, that has the manifest of an output; empty where there is none, or the
  // store does not say.
  std::string OutputAround() const;

 private:
  std::string PathOf(const std::string& object) const { return path_ + "/" + object; }
  arrow::Status Write(const std::string& object,
                      const std::function<arrow::Status(arrow::io::OutputStream*)>& write) const;
  arrow::Status About(const std::string& object, const arrow::Status& status) const;

  std::shared_ptr<StoreFiles> files_;
  std::string path_;
  std::string name_;
};

}  // namespace uzushio
