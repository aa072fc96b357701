// An output folder that is there whole or not at all.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "storage/output_names.h"

namespace uzushio {

// A run's identity, or a part of it, as manifests have it: without the credentials of URIs.
nlohmann::json IdentityAsNoted(nlohmann::json identity);

// Where a stage writes. Files are written to a local folder, and are in the output's place, all of them, once they are
// committed: storage/local_output.h says how for local places, storage/store_output.h for object stores.
class OutputFolder {
 public:
  // Prepares the output: a path, or a URI of a store. `run` identifies the run: equal inputs and configuration give
  // equal JSON; credentials of URIs in it are left out. The folder `tmp`, or where it is empty that of the system, has
  // what goes to a store until it is there. Errors: the output exists and is another run's (unless `overwrite`), lacks
  // files or has others', or another process writes it now.
  static arrow::Result<std::unique_ptr<OutputFolder>> Open(const std::filesystem::path& place,
                                                           const nlohmann::json& run, bool overwrite,
                                                           const std::string& tmp = "");
  // Leaves finished parts, and whole work; else nothing.
  virtual ~OutputFolder() = default;
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Whether the same run has been committed already. Its manifest is then success().
  bool done() const { return done_; }
  const nlohmann::json& success() const { return success_; }
  // What success() says under `counts`.
  arrow::Result<nlohmann::json> Counts() const;

  // Where to write. Files may be written again after a stop.
  virtual const std::filesystem::path& work() const = 0;

  // The record of a finished part, or null. Its files are read again: a part of which one is missing, or has another
  // size or checksum than the record says, is not finished.
  virtual arrow::Result<nlohmann::json> FinishedPart(const std::string& part) = 0;
  // Notes that a part is finished. `record["files"]` lists its files (WrittenFile), which must have been synced. Parts
  // may be finished by several threads.
  virtual arrow::Status FinishPart(const std::string& part, const nlohmann::json& record) = 0;

  // Puts the folder in its place. `success` goes to the manifest, with the run's identity and the identity's XXH64
  // added, and files that `success["files"]` does not list. It has to be the same for any number of threads and memory.
  virtual arrow::Status Commit(nlohmann::json success) = 0;

 protected:
  OutputFolder() = default;

  bool done_ = false;
  nlohmann::json success_;
};

}  // namespace uzushio
