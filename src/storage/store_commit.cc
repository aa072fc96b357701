#include "storage/store_commit.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/parallel.h"
#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/local_output.h"
#include "storage/output_names.h"
#include "storage/random_name.h"
#include "storage/stored_names.h"
#include "storage/upload_progress.h"

namespace uzushio {
namespace {

constexpr const char* kRecord = ".uzushio/commit.json";
constexpr const char* kRecordedManifest = "manifest_xxh64";
constexpr std::string_view kOwn = ".uzushio/";
constexpr int kDeletions = 3;  // at once
constexpr size_t kShortHash = 8;

std::string ChecksumOfText(const std::string& text) {
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

std::set<std::string> PathsOf(const std::vector<WrittenFile>& files) {
  std::set<std::string> paths;
  for (const WrittenFile& file : files) paths.insert(file.path);
  return paths;
}

std::string BeginningOfWork(const StorePlace& place) {
  return "." + place.name().substr(place.name().rfind('/') + 1) + ".work-";
}

// An object of ours with JSON, and the files that it lists. `may_be_begun`: it may be empty, where a store has an
// object as soon as it is begun, and a commit was cut off there; it is as if it were not there.
arrow::Status ReadListing(const StorePlace& place, const char* object, bool may_be_begun, std::string* text,
                          nlohmann::json* json, std::vector<WrittenFile>* files) {
  ARROW_ASSIGN_OR_RAISE(const auto content, place.Read(object));
  if (!content || (content->empty() && may_be_begun)) return arrow::Status::OK();
  *json = ParseJsonObject(*content);
  auto listed = ReadWrittenFiles(*json);
  if (json->is_null() || !listed.ok()) {
    return arrow::Status::Invalid(place.NameOf(object), ": is damaged", listed.ok() ? "" : ": ",
                                  listed.ok() ? "" : listed.status().message());
  }
  *files = *std::move(listed);
  *text = *content;
  return arrow::Status::OK();
}

}  // namespace

StoreCommit::StoreCommit(StorePlace place, const nlohmann::json& run, bool overwrite)
    : place_(std::move(place)), run_(nlohmann::json::parse(JsonText(run))), overwrite_(overwrite) {}

arrow::Result<StoreCommit::Found> StoreCommit::LookAt(const StorePlace& place) {
  Found found;
  auto objects = place.List();
  if (!objects.ok()) return AboutAccess(place.name(), objects.status());
  found.objects = *std::move(objects);
  found.is_incomplete = found.objects.contains(kIncompleteMark);
  std::string text;
  if (found.objects.contains(kRecord)) {
    ARROW_RETURN_NOT_OK(ReadListing(place, kRecord, true, &text, &found.record, &found.listed));
  }
  std::vector<WrittenFile> none;
  if (found.objects.contains(kWorkRecord)) {
    ARROW_RETURN_NOT_OK(ReadListing(place, kWorkRecord, true, &text, &found.work, &none));
  }
  const bool is_stopped = found.is_incomplete || found.objects.contains(kRecord);
  for (const char* manifest : {kManifestName.path, kManifestName.old_path}) {
    if (!found.manifest.is_null() || !found.objects.contains(manifest)) continue;
    ARROW_RETURN_NOT_OK(ReadListing(place, manifest, is_stopped, &found.manifest_text, &found.manifest, &found.files));
    if (!found.manifest.is_null()) found.manifest_place = manifest;
  }
  return found;
}

bool StoreCommit::IsThisRuns(const Found& found) const {
  return !found.manifest.is_null() && MemberOf(found.manifest, "run") == run_;
}

bool StoreCommit::IsAtRest(const Found& found) const {
  const bool nothing_left = found.record.is_null() && found.work.is_null() && !found.is_incomplete;
  return IsThisRuns(found) && (nothing_left || HasWholeOfOthers(found));
}

bool StoreCommit::HasWholeOfOthers(const Found& found) const {
  return MemberOf(found.work, kManifestOfWork).is_object() && MemberOf(found.work, "run") != run_;
}

arrow::Status StoreCommit::CheckDone(const Found& found) const {
  for (const WrittenFile& file : found.files) {
    const auto object = found.objects.find(file.path);
    if (object != found.objects.end() && object->second == file.bytes) continue;
    return arrow::Status::IOError(place_.NameOf(file.path),
                                  object == found.objects.end() ? ": is missing" : ": has another size",
                                  ", and the manifest lists it: this run was complete, and its output is not whole ",
                                  "any more; bring the file back, or make the output again with --overwrite");
  }
  return arrow::Status::OK();
}

// Whether nothing lies in the place but what runs of ours list.
arrow::Status StoreCommit::CheckForeign(const Found& found, const char* advice) const {
  std::set<std::string> ours = PathsOf(found.files);
  ours.merge(PathsOf(found.listed));
  for (const auto& [object, bytes] : found.objects) {
    const bool is_protocols = object == kRecord || object == kWorkRecord || object == kPutTemporary ||
                              object == found.manifest_place || object.starts_with(StoreLock::kBeginning) ||
                              (object == kIncompleteMark && !found.record.is_null());
    if (is_protocols || IsOfRun(object, ours)) continue;
    return arrow::Status::Invalid(place_.NameOf(object), advice);
  }
  return arrow::Status::OK();
}

arrow::Status StoreCommit::CheckPlace(const Found& found) const {
  if (found.is_incomplete && found.record.is_null()) {
    return arrow::Status::Invalid(place_.name(), ": holds an output that is not complete; remove it, or choose ",
                                  "another folder");
  }
  if (found.manifest.is_null()) {
    ARROW_RETURN_NOT_OK(CheckForeign(found,
                                     ": lies in the place of the output, and no run of uzushio has written it; "
                                     "choose another folder"));
    if (!overwrite_ && !found.record.is_null() && MemberOf(found.record, "run") != run_) {
      return arrow::Status::Invalid(place_.name(), ": holds an unfinished run with other inputs or another ",
                                    "configuration; finish it, remove it, or --overwrite");
    }
    return arrow::Status::OK();
  }
  if (MemberOf(found.manifest, "run").is_null()) {
    return arrow::Status::Invalid(place_.name(), ": exists and is no output of uzushio; choose another folder");
  }
  if (!overwrite_) {
    return arrow::Status::Invalid(place_.name(), ": holds the output of a run with other inputs or another ",
                                  "configuration; choose another folder, or --overwrite");
  }
  return CheckForeign(found,
                      ": was not written by the run whose output --overwrite would replace, and would lie among "
                      "the new files; move it away first");
}

arrow::Status StoreCommit::CheckAround() const {
  const std::string around = place_.OutputAround();
  if (around.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid("--output ", place_.name(), ": lies in ", around,
                                ", which is a finished output; choose a folder beside it");
}

arrow::Result<std::optional<nlohmann::json>> StoreCommit::Recover(Found* found) const {
  const auto clean_up = [&] { return CleanUp({PathsOf(found->files), found->listed, found->is_incomplete}); };
  const nlohmann::json& recorded = MemberOf(found->record, kRecordedManifest);
  if (!found->manifest.is_null() && recorded == ChecksumOfText(found->manifest_text)) {
    ARROW_RETURN_NOT_OK(clean_up());
    ARROW_ASSIGN_OR_RAISE(*found, Look());
  }
  if (overwrite_ || !IsThisRuns(*found)) return std::nullopt;
  ARROW_RETURN_NOT_OK(CheckDone(*found));
  // Of another run, which was stopped while it put its files beside these.
  if (!found->record.is_null() && !HasWholeOfOthers(*found)) ARROW_RETURN_NOT_OK(clean_up());
  return std::move(found->manifest);
}

// What is put, and the manifest that lists it. The names have a hash of all that the manifest says, so that other files
// never have the name of those in the place.
arrow::Result<StoreCommit::Plan> StoreCommit::MakePlan(nlohmann::json manifest, const std::vector<std::string>& sources,
                                                       const std::string& salt,
                                                       const std::vector<WrittenFile>& old) const {
  ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> made, ReadWrittenFiles(manifest));
  Plan plan;
  for (size_t i = 0; i < made.size(); ++i) plan.files.push_back({sources[i], made[i]});
  const std::string all = ChecksumOfText(JsonText(manifest) + salt);
  const auto name = [&](const std::string& hash) {
    manifest[kNameHash] = hash;
    for (size_t i = 0; i < plan.files.size(); ++i) {
      plan.files[i].file.path = StoredName(made[i].path, hash);
      manifest["files"][i]["path"] = plan.files[i].file.path;
    }
  };
  name(all.substr(0, kShortHash));
  std::map<std::string, std::string> known;
  for (const WrittenFile& file : old) known[file.path] = file.xxh64;
  const bool is_taken = std::ranges::any_of(plan.files, [&known](const ToPut& one) {
    const auto found = known.find(one.file.path);
    return found != known.end() && (found->second.empty() || found->second != one.file.xxh64);
  });
  if (is_taken) name(all);
  plan.manifest = JsonText(manifest, 2) + "\n";
  return plan;
}

bool StoreCommit::HasAll(const Found& found, const nlohmann::json& made, const std::vector<std::string>& sources,
                         const std::string& salt, const std::map<std::string, int64_t>& there) const {
  const auto plan = MakePlan(made, sources, salt, found.files);
  return plan.ok() && std::ranges::all_of(plan->files, [&](const ToPut& one) {
           const auto source = there.find(one.source);
           if (source != there.end()) return source->second == one.file.bytes;
           const auto put = found.objects.find(one.file.path);
           return put != found.objects.end() && put->second == one.file.bytes;
         });
}

arrow::Result<nlohmann::json> StoreCommit::Publish(nlohmann::json made, const std::vector<std::string>& sources,
                                                   const std::string& salt, const StoreLock& lock, int puts,
                                                   const PutFile& put) {
  ARROW_ASSIGN_OR_RAISE(const Found found, Look());
  const bool is_ours = IsThisRuns(found) && !overwrite_;
  if (!is_ours) ARROW_RETURN_NOT_OK(CheckPlace(found));  // others may have come since the run began
  ARROW_ASSIGN_OR_RAISE(Plan plan, MakePlan(std::move(made), sources, salt, found.files));
  Leftovers leftovers = {{}, found.listed, found.manifest.is_null() || found.is_incomplete};
  for (const ToPut& one : plan.files) {
    leftovers.listed.push_back({one.file.path, 0, one.file.bytes, "", ""});
    leftovers.kept.insert(one.file.path);
  }
  leftovers.listed.insert(leftovers.listed.end(), found.files.begin(), found.files.end());
  if (found.manifest_place == kManifestName.old_path) {
    leftovers.listed.push_back({found.manifest_place, 0, found.objects.at(found.manifest_place), "", ""});
  }
  ARROW_RETURN_NOT_OK(lock.CheckHeld());
  ARROW_RETURN_NOT_OK(PutRecord(plan, found, leftovers));
  const std::string manifest = plan.manifest;
  ARROW_RETURN_NOT_OK(PutFiles(std::move(plan), found, puts, put));
  ARROW_RETURN_NOT_OK(lock.CheckHeld());
  ARROW_RETURN_NOT_OK(PutManifest(manifest));
  leftovers_ = std::move(leftovers);
  return ParseJsonObject(manifest);
}

// Lists what is put and what it replaces, and marks a place that has no output as not complete.
arrow::Status StoreCommit::PutRecord(const Plan& plan, const Found& found, const Leftovers& leftovers) const {
  nlohmann::json files = nlohmann::json::array();
  std::set<std::string> seen;
  for (const WrittenFile& file : leftovers.listed) {
    if (seen.insert(file.path).second) files.push_back({{"path", file.path}, {"bytes", file.bytes}});
  }
  const nlohmann::json record = {{"run", run_}, {kRecordedManifest, ChecksumOfText(plan.manifest)}, {"files", files}};
  // It is not put again, so that a stop meanwhile does not lose what an attempt before has noted.
  if (found.record != record) ARROW_RETURN_NOT_OK(place_.Put(kRecord, JsonText(record) + "\n"));
  if (!found.manifest.is_null() || found.is_incomplete) return arrow::Status::OK();
  return place_.Put(kIncompleteMark, JsonText(nlohmann::json{{"run", run_}}, 2) + "\n");
}

// Puts what is not there yet: names tell the contents, so that what an attempt before has put needs no other.
arrow::Status StoreCommit::PutFiles(Plan plan, const Found& found, int puts, const PutFile& put) const {
  const std::set<std::string> begun = PathsOf(found.listed);
  const std::set<std::string> old = PathsOf(found.files);
  std::vector<const ToPut*> lacking;
  int64_t total = 0;
  for (ToPut& one : plan.files) {
    const auto object = found.objects.find(one.file.path);
    one.is_there = object != found.objects.end() && begun.contains(one.file.path) && !old.contains(one.file.path);
    if (one.is_there && object->second == one.file.bytes) continue;
    lacking.push_back(&one);
    total += one.file.bytes;
  }
  const UploadListener& listener = UploadScope::Current();
  std::mutex mutex;
  int64_t done = 0;
  size_t files = 0;
  const auto tell = [&](int64_t bytes, size_t ended) {
    const std::lock_guard lock(mutex);
    done += bytes;
    files += ended;
    if (listener) listener(done, total, fmt::format("uploading, {} of {} files", files, lacking.size()));
  };
  ARROW_RETURN_NOT_OK(ParallelFor(puts, lacking.size(), [&](int, size_t i) -> arrow::Status {
    ARROW_RETURN_NOT_OK(put(*lacking[i], [&](int64_t bytes) { tell(bytes, 0); }));
    tell(0, 1);
    return arrow::Status::OK();
  }));
  ARROW_ASSIGN_OR_RAISE(const auto objects, place_.List());
  for (const ToPut& one : plan.files) {
    const auto object = objects.find(one.file.path);
    if (object != objects.end() && object->second == one.file.bytes) continue;
    return arrow::Status::IOError(place_.NameOf(one.file.path), ": was put, and is not there with its size");
  }
  return arrow::Status::OK();
}

// An error may come after the manifest has been put.
arrow::Status StoreCommit::PutManifest(const std::string& text) const {
  arrow::Status put = place_.Put(kManifestName.path, text);
  if (put.ok()) return put;
  const auto there = place_.Read(kManifestName.path);
  return there.ok() && *there == text ? place_.DropTemporary() : put;
}

arrow::Status StoreCommit::CleanUp() const { return CleanUp(leftovers_); }

// Deletes what the record lists and the manifest does not, and then the record.
arrow::Status StoreCommit::CleanUp(const Leftovers& leftovers) const {
  if (leftovers.is_incomplete) ARROW_RETURN_NOT_OK(place_.Delete(kIncompleteMark));
  std::vector<std::string> old;
  for (const std::string& path : PathsOf(leftovers.listed)) {
    if (!leftovers.kept.contains(path) && path != kManifestName.path) old.push_back(path);
  }
  ARROW_RETURN_NOT_OK(ParallelFor(kDeletions, old.size(), [&](int, size_t i) { return place_.Delete(old[i]); }));
  std::set<std::string> folders;  // named after hashes: nobody else's
  for (const std::string& path : old) {
    const size_t end = path.starts_with(kOwn) ? path.find('/', kOwn.size()) : std::string::npos;
    if (end != std::string::npos) folders.insert(path.substr(0, end));
  }
  for (const std::string& folder : folders) place_.DropIfEmpty(folder);
  place_.DropFoldersOf(old);
  return place_.Delete(kRecord);
}

// Hidden for those who read what lies around the output, and of no other run's name.
std::string StoreCommit::NewFolderOfWork() const { return BeginningOfWork(place_) + RandomName(); }

std::optional<StorePlace> StoreCommit::PlaceOfWork(const nlohmann::json& record) const {
  const nlohmann::json& folder = MemberOf(record, kFolderOfWork);
  const std::string beginning = BeginningOfWork(place_);
  if (!folder.is_string()) return std::nullopt;
  const auto& name = folder.get_ref<const std::string&>();
  const bool is_ours = name.starts_with(beginning) && name.size() > beginning.size() &&
                       name.find_first_not_of("0123456789abcdef", beginning.size()) == std::string::npos;
  return is_ours ? std::optional(place_.Beside(name)) : std::nullopt;
}

arrow::Status StoreCommit::DropWork(const Found& found) const {
  if (found.work.is_null() || (!overwrite_ && HasWholeOfOthers(found))) return arrow::Status::OK();
  if (const auto work = PlaceOfWork(found.work)) ARROW_RETURN_NOT_OK(work->DropAll());
  return place_.Delete(kWorkRecord);
}

}  // namespace uzushio
