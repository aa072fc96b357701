// What lets one process at a time write to a folder on an object store.
#pragma once

#include <arrow/result.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "storage/lock_file.h"
#include "storage/store_place.h"

namespace uzushio {

// Writers exclude each other by `.uzushio/lock-….json`: each puts one of its own name, lists them, and gives way if
// another is there. Listings of stores are consistent, so that of two at least one sees the other. On the same machine
// a local folder, named after the place and locked as well, says whether a lock that a stop has left is of this work.
class StoreLock {
 public:
  static constexpr std::string_view kBeginning = ".uzushio/lock-";  // of such objects
  // About how long it waits for one that gives way itself; then it waits for longer, 1.5 s at all. Tests wait for none.
  static inline std::chrono::milliseconds first_pause{100};

  // How messages say that another process has it, and what it may have begun where this one's is gone.
  struct Words {
    const char* at_work;
    const char* begun;
    const char* choose_tmp;  // how another folder for temporary data is chosen
  };

  // Nothing is locked yet. The local folder is in `tmp`; of places of one name on two servers, each has its own.
  // `about` is what the lock says beside host, process and time. Where it names an `application` and a `process`, the
  // locks of other processes of that application are taken over: clusters start a driver again when the first has
  // ended.
  StoreLock(StorePlace place, const std::filesystem::path& tmp, Words words, nlohmann::json about = nullptr);
  // Gives the lock back, also where somebody has removed the local folder, and removes that if nothing else is in it.
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  // Only this user may write to it.
  const std::filesystem::path& folder() const { return folder_; }
  // Whether a stop has left a lock of this folder's.
  arrow::Result<bool> IsLeft() const;
  // Makes the folder and locks it. Errors: another process on this machine has it.
  arrow::Status LockFolder();
  // Puts the lock, once the folder is locked; of several processes that do so at once, one is to have it. Errors:
  // another process has it, and what to delete if it is not at work.
  arrow::Status Take();
  // Whether the lock is there. Who comes later sees it, and gives way: its lock may be there for a moment.
  arrow::Status CheckHeld() const;
  arrow::Status Release();

 private:
  arrow::Status DeleteLeft() const;
  arrow::Status DeleteFormer() const;
  arrow::Result<std::string> TryTake();
  arrow::Result<std::string> FindOther() const;
  std::string Describe(const std::string& object) const;

  StorePlace place_;
  std::filesystem::path folder_;
  Words words_;
  nlohmann::json about_;
  std::unique_ptr<LockFile> local_;
  std::string object_;  // empty: none is held
};

}  // namespace uzushio
