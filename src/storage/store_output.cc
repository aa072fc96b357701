#include "storage/store_output.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/parallel.h"
#include "storage/hashed_file.h"
#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/output_names.h"
#include "storage/stored_names.h"
#include "storage/upload_progress.h"

namespace uzushio {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRecord = ".uzushio/commit.json";
constexpr const char* kRecordedManifest = "manifest_xxh64";
constexpr std::string_view kOwn = ".uzushio/";
constexpr int kUploads = 3;  // at once
constexpr size_t kShortHash = 8;
constexpr StoreLock::Words kWriting = {"another process is writing this output", "write this output",
                                       "choose another --tmp"};

std::string ChecksumOfText(const std::string& text) {
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

std::set<std::string> PathsOf(const std::vector<WrittenFile>& files) {
  std::set<std::string> paths;
  for (const WrittenFile& file : files) paths.insert(file.path);
  return paths;
}

}  // namespace

StoreOutput::StoreOutput(StorePlace place, const nlohmann::json& run, bool overwrite, const fs::path& tmp)
    : place_(std::move(place)),
      run_(nlohmann::json::parse(JsonText(run))),
      overwrite_(overwrite),
      lock_(place_, tmp, kWriting) {}

StoreOutput::~StoreOutput() { local_.reset(); }

arrow::Result<std::unique_ptr<OutputFolder>> StoreOutput::Open(const std::string& uri, const nlohmann::json& run,
                                                               bool overwrite, const std::string& tmp) {
  ARROW_ASSIGN_OR_RAISE(StorePlace place, StorePlace::Locate(uri));
  return OpenAt(std::move(place), run, overwrite, tmp);
}

arrow::Result<std::unique_ptr<OutputFolder>> StoreOutput::OpenAt(StorePlace place, const nlohmann::json& run,
                                                                 bool overwrite, const std::string& tmp) {
  ARROW_ASSIGN_OR_RAISE(const fs::path folder, tmp.empty() ? StagingRoot() : AbsolutePath(tmp));
  std::unique_ptr<StoreOutput> output(new StoreOutput(std::move(place), run, overwrite, folder));
  ARROW_ASSIGN_OR_RAISE(output->done_, output->IsDoneAtRest());
  if (output->done_) return output;
  if (const std::string around = output->place_.OutputAround(); !around.empty()) {
    return arrow::Status::Invalid("--output ", output->place_.name(), ": lies in ", around,
                                  ", which is a finished output; choose a folder beside it");
  }
  ARROW_RETURN_NOT_OK(output->Stage());
  ARROW_RETURN_NOT_OK(output->lock_.Take());
  ARROW_RETURN_NOT_OK(output->Prepare());
  return output;
}

arrow::Result<StoreOutput::Found> StoreOutput::Look() const {
  Found found;
  auto objects = place_.List();
  if (!objects.ok()) return AboutAccess(place_.name(), objects.status());
  found.objects = *std::move(objects);
  found.is_incomplete = found.objects.contains(kIncompleteMark);
  const auto read = [&](const char* object, std::string* text, nlohmann::json* json,
                        std::vector<WrittenFile>* files) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto content, place_.Read(object));
    if (!content) return arrow::Status::OK();
    *json = ParseJsonObject(*content);
    auto listed = ReadWrittenFiles(*json);
    if (json->is_null() || !listed.ok()) {
      return arrow::Status::Invalid(place_.NameOf(object), ": is damaged", listed.ok() ? "" : ": ",
                                    listed.ok() ? "" : listed.status().message());
    }
    *files = *std::move(listed);
    *text = *content;
    return arrow::Status::OK();
  };
  for (const char* manifest : {kManifestName.path, kManifestName.old_path}) {
    if (!found.manifest.is_null() || !found.objects.contains(manifest)) continue;
    ARROW_RETURN_NOT_OK(read(manifest, &found.manifest_text, &found.manifest, &found.files));
    if (!found.manifest.is_null()) found.manifest_place = manifest;
  }
  std::string text;
  if (found.objects.contains(kRecord)) ARROW_RETURN_NOT_OK(read(kRecord, &text, &found.record, &found.listed));
  return found;
}

// Whether the place has this run's output and nothing is left to do there: then nothing is touched, not even a lock.
arrow::Result<bool> StoreOutput::IsDoneAtRest() {
  if (overwrite_) return false;
  ARROW_ASSIGN_OR_RAISE(Found found, Look());
  if (!found.record.is_null() || found.is_incomplete || MemberOf(found.manifest, "run") != run_) return false;
  ARROW_ASSIGN_OR_RAISE(const bool has_note, lock_.IsLeft());
  if (has_note) return false;  // a lock of this work's is left
  ARROW_RETURN_NOT_OK(CheckDone(found));
  success_ = std::move(found.manifest);
  // A stop after the commit may have left its work.
  ARROW_ASSIGN_OR_RAISE(const bool has_work, IsFolder(lock_.folder()));
  if (has_work && Stage().ok()) ARROW_RETURN_NOT_OK(DropWork());
  return true;
}

// Removes the work of this run, which is on the store.
arrow::Status StoreOutput::DropWork() const {
  ARROW_ASSIGN_OR_RAISE(const bool is_whole, HasManifest(whole()));
  if (!is_whole) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json made, ReadManifestOf(whole()));
  return MemberOf(made, "run") == run_ ? RemoveWhole() : arrow::Status::OK();
}

// Removes the work so that a stop on the way leaves nothing by its name, which would be neither whole nor unfinished.
arrow::Status StoreOutput::RemoveWhole() const {
  ARROW_RETURN_NOT_OK(Rename(whole(), removed()));
  return RemoveTree(removed());
}

// Whether the files of the work are what its manifest lists: of a temporary folder, others may have removed some.
bool StoreOutput::IsAsListed(const nlohmann::json& made) const {
  const auto files = ReadWrittenFiles(made);
  return files.ok() &&
         std::ranges::all_of(*files, [this](const WrittenFile& file) { return CheckWrittenFile(whole(), file).ok(); });
}

arrow::Status StoreOutput::CheckDone(const Found& found) const {
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
arrow::Status StoreOutput::CheckForeign(const Found& found, const char* advice) const {
  std::set<std::string> ours = PathsOf(found.files);
  ours.merge(PathsOf(found.listed));
  for (const auto& [object, bytes] : found.objects) {
    const bool is_protocols = object == kRecord || object == found.manifest_place ||
                              object.starts_with(StoreLock::kBeginning) ||
                              (object == kIncompleteMark && !found.record.is_null());
    if (is_protocols || IsOfRun(object, ours)) continue;
    return arrow::Status::Invalid(place_.NameOf(object), advice);
  }
  return arrow::Status::OK();
}

// Whether this run may put its output here.
arrow::Status StoreOutput::CheckPlace(const Found& found) const {
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

arrow::Status StoreOutput::Stage() {
  ARROW_RETURN_NOT_OK(lock_.LockFolder());
  return RemoveTree(removed());  // of a stop while it was removed
}

arrow::Status StoreOutput::Prepare() {
  ARROW_RETURN_NOT_OK(place_.DropTemporary());
  ARROW_ASSIGN_OR_RAISE(Found found, Look());
  const nlohmann::json& recorded = MemberOf(found.record, kRecordedManifest);
  if (!found.manifest.is_null() && recorded == ChecksumOfText(found.manifest_text)) {
    ARROW_RETURN_NOT_OK(CleanUp(PathsOf(found.files), found.listed, found.is_incomplete));
    ARROW_ASSIGN_OR_RAISE(found, Look());
  }
  if (!overwrite_ && !found.manifest.is_null() && MemberOf(found.manifest, "run") == run_) {
    ARROW_RETURN_NOT_OK(CheckDone(found));
    if (!found.record.is_null()) {  // of another run, which was stopped while it put its files beside these
      ARROW_RETURN_NOT_OK(CleanUp(PathsOf(found.files), found.listed, found.is_incomplete));
    }
    success_ = std::move(found.manifest);
    done_ = true;
    ARROW_RETURN_NOT_OK(lock_.Release());
    return DropWork();
  }
  ARROW_RETURN_NOT_OK(CheckPlace(found));
  bool is_ours = false;
  ARROW_ASSIGN_OR_RAISE(const bool is_whole, HasManifest(whole()));
  if (is_whole) {
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json made, ReadManifestOf(whole()));
    is_ours = MemberOf(made, "run") == run_;
    if (!is_ours && !overwrite_) {
      return arrow::Status::Invalid(lock_.folder().string(), ": has the output of a run with other inputs or another ",
                                    "configuration, which was not put to ", place_.name(), "; finish it, remove this ",
                                    "folder, or --overwrite");
    }
    const bool is_usable = is_ours && IsAsListed(made);
    if (!is_usable) ARROW_RETURN_NOT_OK(RemoveWhole());
    is_ours = is_usable;
  }
  ARROW_ASSIGN_OR_RAISE(local_, LocalOutput::Open(whole(), run_, overwrite_ && !is_ours));
  if (!local_->done()) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(Publish());
  done_ = true;
  return arrow::Status::OK();
}

arrow::Status StoreOutput::Commit(nlohmann::json success) {
  ARROW_RETURN_NOT_OK(local_->Commit(std::move(success)));
  return Publish();
}

// What is put, and the manifest that lists it. The names have a hash of all that the manifest says, so that other files
// never have the name of those in the place.
arrow::Result<StoreOutput::Plan> StoreOutput::MakePlan(const std::vector<WrittenFile>& old) const {
  nlohmann::json manifest = local_->success();
  ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> made, ReadWrittenFiles(manifest));
  Plan plan;
  for (size_t i = 0; i < made.size(); ++i) {
    ToPut& one = plan.files.emplace_back(ToPut{made[i].path, made[i]});
    if (one.file.xxh64.empty()) {
      ARROW_ASSIGN_OR_RAISE(one.file.xxh64, ChecksumOfFile(whole() / one.path));
      manifest["files"][i]["xxh64"] = one.file.xxh64;
    }
  }
  const std::string all = ChecksumOfText(JsonText(manifest));
  const auto name = [&](const std::string& hash) {
    manifest[kNameHash] = hash;
    for (size_t i = 0; i < plan.files.size(); ++i) {
      plan.files[i].file.path = StoredName(plan.files[i].path, hash);
      manifest["files"][i]["path"] = plan.files[i].file.path;
    }
  };
  name(all.substr(0, kShortHash));
  std::map<std::string, std::string> known;
  for (const WrittenFile& file : old) known[file.path] = file.xxh64;
  const bool is_taken = std::ranges::any_of(plan.files, [&known](const ToPut& one) {
    const auto found = known.find(one.file.path);
    return found != known.end() && found->second != one.file.xxh64;
  });
  if (is_taken) name(all);
  plan.manifest = JsonText(manifest, 2) + "\n";
  return plan;
}

arrow::Status StoreOutput::Publish() {
  std::function<arrow::Status()> clean_up;
  const auto put = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const Found found, Look());
    const bool is_ours = MemberOf(found.manifest, "run") == run_ && !overwrite_;
    if (!is_ours) ARROW_RETURN_NOT_OK(CheckPlace(found));  // others may have come since the run began
    ARROW_ASSIGN_OR_RAISE(const Plan plan, MakePlan(found.files));
    std::vector<WrittenFile> listed = found.listed;
    std::set<std::string> kept;
    for (const ToPut& one : plan.files) {
      listed.push_back({one.file.path, 0, one.file.bytes, "", ""});
      kept.insert(one.file.path);
    }
    listed.insert(listed.end(), found.files.begin(), found.files.end());
    if (found.manifest_place == kManifestName.old_path) {
      listed.push_back({found.manifest_place, 0, found.objects.at(found.manifest_place), "", ""});
    }
    nlohmann::json files = nlohmann::json::array();
    std::set<std::string> seen;
    for (const WrittenFile& file : listed) {
      if (seen.insert(file.path).second) files.push_back({{"path", file.path}, {"bytes", file.bytes}});
    }
    const nlohmann::json record = {{"run", run_}, {kRecordedManifest, ChecksumOfText(plan.manifest)}, {"files", files}};
    ARROW_RETURN_NOT_OK(lock_.CheckHeld());
    ARROW_RETURN_NOT_OK(place_.Put(kRecord, JsonText(record) + "\n"));
    const bool is_first = found.manifest.is_null();
    if (is_first && !found.is_incomplete) {
      ARROW_RETURN_NOT_OK(place_.Put(kIncompleteMark, JsonText(nlohmann::json{{"run", run_}}, 2) + "\n"));
    }
    ARROW_RETURN_NOT_OK(PutFiles(plan, found));
    ARROW_RETURN_NOT_OK(lock_.CheckHeld());
    ARROW_RETURN_NOT_OK(PutManifest(plan.manifest));
    success_ = ParseJsonObject(plan.manifest);
    clean_up = [this, kept, listed, is_incomplete = is_first || found.is_incomplete] {
      return CleanUp(kept, listed, is_incomplete);
    };
    return arrow::Status::OK();
  };
  const arrow::Status done = put();
  if (!done.ok()) {
    return done.WithMessage(done.message(), "; what this run made is whole in ", lock_.folder().string(),
                            ", and the same command goes on with putting it to ", place_.name());
  }
  arrow::Status cleaned = clean_up();
  if (cleaned.ok()) cleaned = lock_.Release();
  if (!cleaned.ok()) {
    return cleaned.WithMessage(cleaned.message(), "; the output is complete, and the same command removes what else ",
                               "is there");
  }
  return DropWork();
}

// Puts what is not there yet: names tell the contents, so that what an attempt before has put needs no other.
arrow::Status StoreOutput::PutFiles(const Plan& plan, const Found& found) const {
  const std::set<std::string> begun = PathsOf(found.listed);
  const std::set<std::string> old = PathsOf(found.files);
  std::vector<const ToPut*> lacking;
  int64_t total = 0;
  for (const ToPut& one : plan.files) {
    const auto object = found.objects.find(one.file.path);
    const bool is_there = object != found.objects.end() && object->second == one.file.bytes;
    if (is_there && begun.contains(one.file.path) && !old.contains(one.file.path)) continue;
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
  ARROW_RETURN_NOT_OK(ParallelFor(kUploads, lacking.size(), [&](int, size_t i) -> arrow::Status {
    const ToPut& one = *lacking[i];
    ARROW_RETURN_NOT_OK(
        place_.Upload(whole() / one.path, one.file, one.file.path, [&](int64_t bytes) { tell(bytes, 0); }));
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
arrow::Status StoreOutput::PutManifest(const std::string& text) const {
  arrow::Status put = place_.Put(kManifestName.path, text);
  if (put.ok()) return put;
  const auto there = place_.Read(kManifestName.path);
  return there.ok() && *there == text ? place_.DropTemporary() : put;
}

// Deletes what the record lists and the manifest does not, and then the record.
arrow::Status StoreOutput::CleanUp(const std::set<std::string>& kept, const std::vector<WrittenFile>& listed,
                                   bool is_incomplete) const {
  if (is_incomplete) ARROW_RETURN_NOT_OK(place_.Delete(kIncompleteMark));
  std::vector<std::string> old;
  for (const std::string& path : PathsOf(listed)) {
    if (!kept.contains(path) && path != kManifestName.path) old.push_back(path);
  }
  ARROW_RETURN_NOT_OK(ParallelFor(kUploads, old.size(), [&](int, size_t i) { return place_.Delete(old[i]); }));
  std::set<std::string> folders;  // named after hashes: nobody else's
  for (const std::string& path : old) {
    const size_t end = path.starts_with(kOwn) ? path.find('/', kOwn.size()) : std::string::npos;
    if (end != std::string::npos) folders.insert(path.substr(0, end));
  }
  for (const std::string& folder : folders) place_.DropIfEmpty(folder);
  return place_.Delete(kRecord);
}

}  // namespace uzushio
