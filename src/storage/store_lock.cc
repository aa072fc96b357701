#include "storage/store_lock.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <utility>

#include "base/json.h"
#include "base/stop.h"
#include "storage/azure_store.h"
#include "storage/local_files.h"
#include "storage/output_names.h"
#include "storage/random_name.h"

namespace uzushio {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLockNote = "store-lock.json";  // of the local folder: the lock that it has put
constexpr const char* kFolderLock = "lock";
constexpr const char* kLocalLock = ".output.lock";  // of an output's work, which a process that is killed leaves

// How often it is looked whether another's lock is there: at all, and at one that stays.
constexpr int kLooks = 12;
constexpr int kLooksAtOne = 5;

// The longer, the more often one lock was seen, and never as long as another process's.
arrow::Status Pause(int seen) {
  std::random_device random;
  std::uniform_real_distribution<double> share(0.5, 1.5);
  std::this_thread::sleep_for(StoreLock::first_pause * (1 << (seen - 1)) * share(random));
  return CheckStop();
}

// The server that has a place, where it is not Amazon's, Google's or Microsoft's, as variables set it; else empty.
std::string ServerOf(const StorePlace& place) {
  if (IsOnAzure(place.name())) return AzureEndpoint();
  const bool is_googles = place.name().starts_with("gs://");
  const std::vector<const char*> variables = is_googles
                                                 ? std::vector<const char*>{"CLOUD_STORAGE_EMULATOR_ENDPOINT"}
                                                 : std::vector<const char*>{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"};
  for (const char* variable : variables) {
    const char* server = std::getenv(variable);
    if (server != nullptr && *server != '\0') return server;
  }
  return "";
}

// What the local folder is named after.
std::string TextOfPlace(const StorePlace& place) {
  std::string server = ServerOf(place);
  if (server.empty()) return place.name();
  while (server.ends_with('/')) server.pop_back();
  return place.name() + "\n" + server;
}

fs::path FolderFor(const StorePlace& place, const fs::path& tmp) {
  const std::string text = TextOfPlace(place);
  return tmp / fmt::format("uzushio-{}-{:016x}", ::geteuid(), XXH64(text.data(), text.size(), 0));
}

// What a lock says to those who find it.
nlohmann::json DescribeProcess() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> since{};
  (void)std::strftime(since.data(), since.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {{"host", host.data()}, {"pid", ::getpid()}, {"since", since.data()}};
}

// A folder that nobody but this user may write to: its name can be guessed.
arrow::Status MakeOwnFolder(const fs::path& path, const char* choose_tmp) {
  ARROW_RETURN_NOT_OK(MakeFolder(ParentOf(path)));
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return arrow::Status::IOError("cannot make the folder ", path.string(), ": ", std::strerror(errno));
  }
  struct stat found{};
  if (::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() &&
      (found.st_mode & 0022) == 0) {
    return arrow::Status::OK();
  }
  return arrow::Status::IOError(path.string(), ": is in the way of a folder for temporary data; remove it, or ",
                                choose_tmp);
}

}  // namespace

StoreLock::StoreLock(StorePlace place, const fs::path& tmp, Words words, nlohmann::json about)
    : place_(std::move(place)), folder_(FolderFor(place_, tmp)), words_(words), about_(std::move(about)) {}

StoreLock::~StoreLock() {
  (void)Release();
  if (local_ == nullptr || !local_->held()) return;
  const auto names = ListFolder(folder_);
  const bool has_work = !names.ok() || std::ranges::any_of(*names, [](const std::string& name) {
    return name != kFolderLock && name != kLocalLock;
  });
  if (!has_work) (void)RemoveTree(folder_);
}

arrow::Result<bool> StoreLock::IsLeft() const { return PathExists(folder_ / kLockNote); }

arrow::Status StoreLock::LockFolder() {
  ARROW_RETURN_NOT_OK(MakeOwnFolder(folder_, words_.choose_tmp));
  ARROW_ASSIGN_OR_RAISE(local_, LockFile::Try(folder_ / kFolderLock));
  if (local_ != nullptr) return arrow::Status::OK();
  std::string who;
  if (const auto other = FindOther(); other.ok() && !other->empty()) who = ": " + Describe(*other);
  return arrow::Status::Invalid(place_.name(), ": ", words_.at_work, " now", who, "; let it end, or stop it first");
}

// Deletes what a process of this machine that was stopped has left.
arrow::Status StoreLock::DeleteLeft() const {
  ARROW_ASSIGN_OR_RAISE(const bool has_note, IsLeft());
  if (!has_note) return arrow::Status::OK();
  const auto left = ReadJsonObject(folder_ / kLockNote);
  const nlohmann::json& name = left.ok() ? MemberOf(*left, "lock") : nlohmann::json();
  if (!name.is_string() || !name.get<std::string>().starts_with(kBeginning)) return arrow::Status::OK();
  return place_.Delete(name.get<std::string>());
}

// Deletes the locks of former processes of this application.
arrow::Status StoreLock::DeleteFormer() const {
  const nlohmann::json& application = MemberOf(about_, "application");
  if (application.is_null() || MemberOf(about_, "has_attempts") != true) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto objects, place_.List(kOwnFolder));
  for (const auto& [object, bytes] : objects) {
    if (!object.starts_with(kBeginning)) continue;
    ARROW_ASSIGN_OR_RAISE(const auto text, place_.Read(object));
    const nlohmann::json other = text ? ParseJsonObject(*text) : nlohmann::json();
    const bool is_former =
        MemberOf(other, "application") == application && MemberOf(other, "process") != MemberOf(about_, "process");
    if (is_former) ARROW_RETURN_NOT_OK(place_.Delete(object));
  }
  return arrow::Status::OK();
}

// Puts a lock. The note is there before the lock is: what a stop leaves is known for this folder's, which only one
// process at a time has. Several that begin at once may all give way, each to another: they look again, each after a
// time of its own, until one of them finds none; a lock that stays there is that of a process at work.
arrow::Status StoreLock::Take() {
  ARROW_RETURN_NOT_OK(DeleteLeft());
  ARROW_RETURN_NOT_OK(DeleteFormer());
  std::string other;
  int seen = 0;  // how often in a row
  for (int look = 0; look < kLooks && seen < kLooksAtOne; ++look) {
    if (look > 0) ARROW_RETURN_NOT_OK(Pause(seen));
    ARROW_ASSIGN_OR_RAISE(std::string found, look == 0 ? TryTake() : FindOther());
    if (found.empty() && look > 0) {
      ARROW_ASSIGN_OR_RAISE(found, TryTake());
    }
    if (found.empty()) return arrow::Status::OK();
    seen = found == other ? seen + 1 : 1;
    other = std::move(found);
  }
  ARROW_ASSIGN_OR_RAISE(const bool is_there, place_.Has(other));
  if (!is_there) {
    return arrow::Status::Invalid(place_.name(), ": other processes begin here at the same time; run this again");
  }
  return arrow::Status::Invalid(place_.name(), ": ", words_.at_work, ": ", Describe(other),
                                "; if it is no longer at work, delete ", place_.NameOf(other));
}

// Another's lock, to which this one has given way; empty: this one is there.
arrow::Result<std::string> StoreLock::TryTake() {
  object_ = std::string(kBeginning) + RandomName() + ".json";
  ARROW_RETURN_NOT_OK(WriteFileAtomically(folder_ / kLockNote, JsonText(nlohmann::json{{"lock", object_}}) + "\n"));
  nlohmann::json said = DescribeProcess();
  if (about_.is_object()) said.update(about_);
  ARROW_RETURN_NOT_OK(place_.PutMark(object_, JsonText(said, 2) + "\n"));
  ARROW_ASSIGN_OR_RAISE(std::string other, FindOther());
  if (!other.empty()) ARROW_RETURN_NOT_OK(Release());
  return other;
}

arrow::Status StoreLock::CheckHeld() const {
  ARROW_ASSIGN_OR_RAISE(const auto objects, place_.List(kOwnFolder));
  if (objects.contains(object_)) return arrow::Status::OK();
  return arrow::Status::IOError(place_.name(), ": the lock of this process is gone; another may have begun to ",
                                words_.begun);
}

// A lock that is not this process's; empty: there is none.
arrow::Result<std::string> StoreLock::FindOther() const {
  ARROW_ASSIGN_OR_RAISE(const auto objects, place_.List(kOwnFolder));
  for (const auto& [object, bytes] : objects) {
    if (object.starts_with(kBeginning) && object != object_) return object;
  }
  return "";
}

// What a lock says of its process.
std::string StoreLock::Describe(const std::string& object) const {
  const auto text = place_.Read(object);
  const nlohmann::json other = text.ok() && *text ? ParseJsonObject(**text) : nlohmann::json();
  const auto said = [&other](const char* key) {
    const nlohmann::json& value = MemberOf(other, key);
    return value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : std::string("unknown");
  };
  const std::string application = MemberOf(other, "application").is_string() ? said("application") + ", " : "";
  return application + "process " + said("pid") + " on " + said("host") + ", since " + said("since");
}

arrow::Status StoreLock::Release() {
  if (object_.empty()) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(place_.Delete(object_));
  object_.clear();
  // Where somebody has removed the folder, and another process has made it again, the note is of that.
  return local_->held() ? RemoveFile(folder_ / kLockNote) : arrow::Status::OK();
}

}  // namespace uzushio
