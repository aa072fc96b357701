// What a stage reads of a finished output beside its inputs, as a frequency index: by the names that files have in a
// local output, wherever that lies.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/dataset.h"
#include "storage/inputs.h"
#include "storage/output_names.h"
#include "storage/temporary_folder.h"

namespace uzushio {

class OutputFiles {
 public:
  // Of a folder, or a URI of a store. Of a local one nothing is looked at yet. Errors, of a store: nothing is there, or
  // no output that is complete; it gives no access.
  static arrow::Result<OutputFiles> Find(const std::string& place);

  // As it was given; of a store without credentials.
  const std::string& name() const { return name_; }
  bool is_on_store() const { return manifest_ != nullptr; }
  const std::filesystem::path& folder() const { return folder_; }  // of a local one
  // What its manifest says. Errors: there is none.
  arrow::Result<nlohmann::json> Mark() const;

  struct Named {
    std::vector<InputFile> files;  // in order of paths; none: there is nothing of this name
    bool is_folder = false;        // they lie in a folder of the name
  };
  // The file of a name, or those in the folder of that name which end with one of `suffixes`. Errors: a file that the
  // manifest lists is missing, or has another size.
  arrow::Result<Named> Find(const OutputName& name, const std::vector<std::string_view>& suffixes) const;
  // Of one on a store, the file at this path, as the manifest lists it; null: it is not there.
  arrow::Result<std::unique_ptr<InputFile>> At(const std::string& path) const;

 private:
  friend class LocalFiles;
  struct Listed {
    std::string path;  // below the name: empty, or with a slash before
    const WrittenFile* file;
  };
  std::vector<Listed> ListedAs(const OutputName& name) const;
  arrow::Result<InputFile> Open(const WrittenFile& listed) const;
  arrow::Result<InputFile> Open(const WrittenFile& listed, const arrow::fs::FileInfo& info) const;

  std::string name_;
  std::filesystem::path folder_;
  InputPlace location_;                       // of a store
  std::shared_ptr<const Manifest> manifest_;  // of one on a store
};

// A file, or a folder, of an output on the local disk: where it lies, or, of an output on a store, a copy. Copies are
// whole and checked, and go with this; what is open then can still be read.
class LocalFiles {
 public:
  // Copies go to `tmp`, where it is empty to the system's folder for temporary data. Errors: there is no room for them;
  // a file is missing, or not what the manifest says.
  static arrow::Result<LocalFiles> Of(const OutputFiles& output, const OutputName& name, const std::string& tmp);

  // There may be nothing.
  const std::filesystem::path& path() const { return path_; }
  // An error about these files, by the name of the output that they are of.
  arrow::Status About(const arrow::Status& status) const;

 private:
  LocalFiles() = default;

  std::string name_;
  std::filesystem::path path_;
  std::unique_ptr<TemporaryFolder> copy_;  // null: they are where they were
};

}  // namespace uzushio
