// An output folder on an object store.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "storage/local_output.h"
#include "storage/output_folder.h"
#include "storage/store_lock.h"
#include "storage/store_place.h"

namespace uzushio {

// Work is local: a folder in the temporary folder, named after the place, holds it as a local output would be
// (storage/local_output.h), and goes on with it after a stop. Commit makes it whole there, and then puts it on the
// store:
//
// 1. `.uzushio/commit.json` lists all files that are put, and those of the output that they replace. Where there was no
//    output, `_INCOMPLETE` says that there is none yet.
// 2. The files. Their names have a hash of the manifest, so that they are beside those of the output before.
// 3. The manifest: from here on, readers see the new output.
// 4. `_INCOMPLETE` is deleted, then what commit.json lists and the manifest does not, then commit.json.
//
// After a stop or an error before 3, readers see the output of before, and the next Open of the same run puts what is
// missing; after 3, the next Open does 4. Nothing is deleted but what a commit.json lists, and temporary objects
// (storage/store_place.h).
//
// Writers exclude each other (storage/store_lock.h); the local folder is that of their lock.
class StoreOutput final : public OutputFolder {
 public:
  // As OutputFolder::Open.
  static arrow::Result<std::unique_ptr<OutputFolder>> Open(const std::string& uri, const nlohmann::json& run,
                                                           bool overwrite, const std::string& tmp);
  static arrow::Result<std::unique_ptr<OutputFolder>> OpenAt(StorePlace place, const nlohmann::json& run,
                                                             bool overwrite, const std::string& tmp);
  ~StoreOutput() override;

  const std::filesystem::path& work() const override { return local_->work(); }
  arrow::Result<nlohmann::json> FinishedPart(const std::string& part) override { return local_->FinishedPart(part); }
  arrow::Status FinishPart(const std::string& part, const nlohmann::json& record) override {
    return local_->FinishPart(part, record);
  }
  arrow::Status Commit(nlohmann::json success) override;

 private:
  // What is on the store.
  struct Found {
    std::map<std::string, int64_t> objects;
    std::string manifest_place;  // empty: there is none
    std::string manifest_text;
    nlohmann::json manifest;          // null: there is none
    nlohmann::json record;            // commit.json; null: there is none
    std::vector<WrittenFile> files;   // of the manifest
    std::vector<WrittenFile> listed;  // of the record
    bool is_incomplete = false;
  };
  // A local file that is put, and what the manifest says of it.
  struct ToPut {
    std::string path;  // local, below the work
    WrittenFile file;  // as it is on the store
  };
  struct Plan {
    std::string manifest;
    std::vector<ToPut> files;
  };

  StoreOutput(StorePlace place, const nlohmann::json& run, bool overwrite, const std::filesystem::path& tmp);
  std::filesystem::path whole() const { return lock_.folder() / "output"; }
  std::filesystem::path removed() const { return lock_.folder() / "removed"; }  // what was whole()
  arrow::Status RemoveWhole() const;
  arrow::Result<Found> Look() const;
  arrow::Result<bool> IsDoneAtRest();
  arrow::Status DropWork() const;
  arrow::Status CheckDone(const Found& found) const;
  arrow::Status CheckPlace(const Found& found) const;
  arrow::Status CheckForeign(const Found& found, const char* advice) const;
  arrow::Status Stage();
  bool IsAsListed(const nlohmann::json& made) const;
  arrow::Status Prepare();
  arrow::Result<Plan> MakePlan(const std::vector<WrittenFile>& old) const;
  arrow::Status Publish();
  arrow::Status PutFiles(const Plan& plan, const Found& found) const;
  arrow::Status PutManifest(const std::string& text) const;
  arrow::Status CleanUp(const std::set<std::string>& kept, const std::vector<WrittenFile>& listed,
                        bool is_incomplete) const;

  StorePlace place_;
  nlohmann::json run_;  // as it reads in marks
  bool overwrite_;
  StoreLock lock_;
  std::unique_ptr<LocalOutput> local_;
};

}  // namespace uzushio
