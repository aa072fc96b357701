// Datasets: which files are in one, as its manifest says, and the one place where what a command line names becomes
// files.
#pragma once

#include <arrow/filesystem/filesystem.h>
#include <arrow/result.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "storage/hashed_file.h"
#include "storage/inputs.h"

namespace uzushio {

// What the manifest of a finished output says.
struct Manifest {
  std::shared_ptr<arrow::fs::FileSystem> filesystem;
  std::string folder;  // where it lies: of local ones, without links
  std::string name;    // for messages
  std::string place;   // its own, below the folder
  nlohmann::json mark;
  uint64_t checksum = 0;                                  // of the mark as it was read
  bool lists_files = false;                               // those of early versions may not
  std::map<std::string, WrittenFile, std::less<>> files;  // by path below the folder

  std::string PathOfMark() const;
};

// A folder's files: those that its manifest lists, or, where it has none, those that lie there. What is hidden (`.` or
// `_` first) is left out.
class Dataset {
 public:
  // Of a folder of a file system. The manifest may be of a folder around, three up at most; then the files of it that
  // are below `path` are meant. Of a folder without one, datasets below are taken as their manifests say, and nothing
  // else that lies in them. Errors: a listed file is missing or of another size, which names it; a manifest is damaged.
  static arrow::Result<Dataset> Open(const std::shared_ptr<arrow::fs::FileSystem>& filesystem, const std::string& path);

  struct File {
    arrow::fs::FileInfo info;
    std::shared_ptr<const Manifest> manifest;  // null: none lists it
  };
  // In order of paths.
  const std::vector<File>& files() const { return files_; }
  // The manifest that says what is in the folder; null where it was listed.
  const std::shared_ptr<const Manifest>& manifest() const { return manifest_; }
  // Links to folders that were not followed.
  const std::vector<std::string>& links() const { return links_; }

 private:
  friend class DatasetReader;
  std::vector<File> files_;
  std::shared_ptr<const Manifest> manifest_;
  std::vector<std::string> links_;
};

// Manifests by folder, each read once.
class ManifestCache {
 public:
  // That of a folder, or of the nearest one around, three up at most; null where there is none, or what is there is not
  // complete. Errors: it is damaged.
  arrow::Result<std::shared_ptr<const Manifest>> Around(const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                                                        const std::string& folder);
  // That of the folder itself, or null.
  arrow::Result<std::shared_ptr<const Manifest>> Of(const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                                                    const std::string& folder);
  // The nearest folder around a file that is marked as not complete, up to that of the manifest, named as the file is;
  // empty: none.
  arrow::Result<std::string> IncompleteAround(const InputFile& file);

 private:
  std::map<std::string, std::shared_ptr<const Manifest>> known_;  // null: there is none
  std::map<std::string, bool> incomplete_;
};

// The error of an output that is marked as not complete; `more` follows.
arrow::Status NotComplete(const std::string& output, const std::string& more);

// What a manifest says of a file that lies at a path; null: nothing.
const WrittenFile* FindListed(const Manifest& manifest, const std::string& path);

// Resolves paths, globs (`*`, `?`, `[…]`, `**` for folders of any depth) and folders (the files of the dataset, or all
// below, with one of `suffixes`), local or as URIs that Arrow has a file system for. What is there as it is named is no
// glob, and neither are the folders before one. The result is in order of the arguments, by name within one; each file
// comes once, by whatever names and links it was reached. An argument that names nothing is an error that says which;
// a finished output without documents gives no files.
arrow::Result<std::vector<InputFile>> ResolveInputs(const std::vector<std::string>& arguments,
                                                    const std::vector<std::string_view>& suffixes);

// Whether inputs are what they were when they were resolved: the manifests, and of local
// files their sizes and when they were written. Asked before a stage commits. The error names what has
// changed.
arrow::Status CheckUnchanged(const std::vector<InputFile>& inputs);

}  // namespace uzushio
