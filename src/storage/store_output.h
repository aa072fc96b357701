// An output folder on an object store.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "storage/local_output.h"
#include "storage/output_folder.h"
#include "storage/store_commit.h"
#include "storage/store_lock.h"
#include "storage/store_place.h"

namespace uzushio {

// Work is local: a folder in the temporary folder, named after the place, holds it as a local output would be
// (storage/local_output.h), and goes on with it after a stop. Commit makes it whole there, and then puts it on the
// store (storage/store_commit.h).
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
  StoreOutput(StorePlace place, const nlohmann::json& run, bool overwrite, const std::filesystem::path& tmp);
  const StorePlace& place() const { return commit_.place(); }
  std::filesystem::path whole() const { return lock_.folder() / "output"; }
  std::filesystem::path removed() const { return lock_.folder() / "removed"; }  // what was whole()
  arrow::Status RemoveWhole() const;
  arrow::Result<bool> IsDoneAtRest();
  arrow::Status DropLocalWork() const;
  arrow::Status Stage();
  bool IsAsListed(const nlohmann::json& made) const;
  arrow::Status Prepare();
  arrow::Status DropTasksWork(const StoreCommit::Found& found) const;
  arrow::Result<bool> TakeUpWhole() const;
  arrow::Status Publish();
  arrow::Result<nlohmann::json> PutAll();

  StoreCommit commit_;
  StoreLock lock_;
  std::unique_ptr<LocalOutput> local_;
};

}  // namespace uzushio
