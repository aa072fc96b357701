// How files become the output in a folder on an object store.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/hashed_file.h"
#include "storage/store_lock.h"
#include "storage/store_place.h"

namespace uzushio {

// A file that is to be put, and what the manifest says of it.
struct ToPut {
  std::string source;     // as whoever puts it knows it
  WrittenFile file;       // as it is on the store
  bool is_there = false;  // what a commit that was cut off has put by its name, and is not whole
};

// Publishes the files of a run:
//
// 1. `.uzushio/commit.json` lists all files that are put, and those of the output that they replace. Where there was no
//    output, `_INCOMPLETE` says that there is none yet.
// 2. The files. Their names have a hash of the manifest, so that they are beside those of the output before.
// 3. The manifest: from here on, readers see the new output.
// 4. `_INCOMPLETE` is deleted, then what commit.json lists and the manifest does not, then commit.json.
//
// After a stop or an error before 3, readers see the output of before, and the next run that has the files puts what is
// missing; after 3, the next run does 4. Nothing is deleted but what a commit.json lists, temporary objects
// (storage/store_place.h), and the work of an engine (storage/task_output.h) that `.uzushio/work.json` names. Whoever
// calls it holds the place's StoreLock.
class StoreCommit {
 public:
  // What is on the store.
  struct Found {
    std::map<std::string, int64_t> objects;
    std::string manifest_place;  // empty: there is none
    std::string manifest_text;
    nlohmann::json manifest;          // null: there is none
    nlohmann::json record;            // commit.json; null: there is none
    nlohmann::json work;              // work.json; null: there is none
    std::vector<WrittenFile> files;   // of the manifest
    std::vector<WrittenFile> listed;  // of the record
    bool is_incomplete = false;
  };
  // Puts one file. `on_bytes` gets how many bytes of it were handed on since the last call.
  using PutFile = std::function<arrow::Status(const ToPut& one, const std::function<void(int64_t)>& on_bytes)>;

  static constexpr const char* kWorkRecord = ".uzushio/work.json";
  // What is put where a file that is written is seen before it is whole: the holder of the lock renames it.
  static constexpr const char* kPutTemporary = ".uzushio/.put.tmp";
  static constexpr const char* kFolderOfWork = "folder";     // of the record: the name of the folder
  static constexpr const char* kManifestOfWork = "success";  // and, once its files are whole, what Publish is to put

  StoreCommit(StorePlace place, const nlohmann::json& run, bool overwrite);

  const StorePlace& place() const { return place_; }
  const nlohmann::json& run() const { return run_; }  // as it reads in marks
  bool overwrite() const { return overwrite_; }

  arrow::Result<Found> Look() const { return LookAt(place_); }
  // The same of any place, which is only read. An empty manifest does not count where a commit was stopped: some stores
  // show an object before its content. Errors: the store's; what is there is damaged.
  static arrow::Result<Found> LookAt(const StorePlace& place);
  // Whether the manifest is this run's. With no record and mark beside it, nothing is left to do.
  bool IsThisRuns(const Found& found) const;
  bool IsAtRest(const Found& found) const;
  // Whether another run, or engine, has made all its files, and was stopped before they were in their places: nobody
  // else has them.
  bool HasWholeOfOthers(const Found& found) const;
  // Whether all files are there that the manifest lists.
  arrow::Status CheckDone(const Found& found) const;
  // Whether this run may put its output here.
  arrow::Status CheckPlace(const Found& found) const;
  // Refuses an output in a finished one.
  arrow::Status CheckAround() const;

  // Ends a commit whose manifest was put. The manifest, where it is this run's, and is not to be replaced: then nothing
  // of others' is left.
  arrow::Result<std::optional<nlohmann::json>> Recover(Found* found) const;

  // Whether each file that Publish would put is among those that are `there`, by sources, or was put.
  bool HasAll(const Found& found, const nlohmann::json& made, const std::vector<std::string>& sources,
              const std::string& salt, const std::map<std::string, int64_t>& there) const;

  // Steps 1 to 3. `made` is the manifest without names of the store; its files are put as `sources` calls them, `puts`
  // of them at once. `salt` makes names differ where contents can not be told. The manifest as it was put.
  arrow::Result<nlohmann::json> Publish(nlohmann::json made, const std::vector<std::string>& sources,
                                        const std::string& salt, const StoreLock& lock, int puts, const PutFile& put);
  // Step 4.
  arrow::Status CleanUp() const;

  // Deletes an engine's work that was left here, and its record. Nothing may be there. Without `overwrite`, not that of
  // others which is whole.
  arrow::Status DropWork(const Found& found) const;
  // The name of a folder for such work, which lies beside the place; and the folder by its record, or nothing where the
  // record names none.
  std::string NewFolderOfWork() const;
  std::optional<StorePlace> PlaceOfWork(const nlohmann::json& record) const;

 private:
  struct Plan {
    std::string manifest;
    std::vector<ToPut> files;
  };
  struct Leftovers {
    std::set<std::string> kept;
    std::vector<WrittenFile> listed;
    bool is_incomplete = false;
  };

  arrow::Status CheckForeign(const Found& found, const char* advice) const;
  arrow::Result<Plan> MakePlan(nlohmann::json manifest, const std::vector<std::string>& sources,
                               const std::string& salt, const std::vector<WrittenFile>& old) const;
  arrow::Status PutRecord(const Plan& plan, const Found& found, const Leftovers& leftovers) const;
  arrow::Status PutFiles(Plan plan, const Found& found, int puts, const PutFile& put) const;
  arrow::Status PutManifest(const std::string& text) const;
  arrow::Status CleanUp(const Leftovers& leftovers) const;

  StorePlace place_;
  nlohmann::json run_;
  bool overwrite_;
  Leftovers leftovers_;  // of what was published
};

}  // namespace uzushio
