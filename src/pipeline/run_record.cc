#include "pipeline/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "pipeline/checksum.h"
#include "storage/hashed_file.h"
#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/local_output.h"
#include "storage/output_names.h"
#include "storage/store_commit.h"
#include "storage/store_place.h"

namespace uzushio {
namespace fs = std::filesystem;

namespace {

// What a manifest says. Errors: its list of files is none.
arrow::Result<std::vector<WrittenFile>> TakeMark(const nlohmann::json& mark, PlacedOutput* placed) {
  placed->mark = ChecksumOf(JsonText(mark));
  placed->run = ChecksumOfRun(MemberOf(mark, "run"));
  placed->contents = ChecksumOf(JsonText(MemberOf(mark, "files")));
  const nlohmann::json& run = MemberOf(mark, "run");
  for (const nlohmann::json* const inputs :  // what was read, or the tables of an index that named it
       {&MemberOf(run, "inputs"), &MemberOf(MemberOf(run, "configuration"), "index")}) {
    for (const nlohmann::json& input : *inputs) {
      const nlohmann::json& name = MemberOf(input, "name");
      if (name.is_string()) placed->inputs.push_back(name.get<std::string>());
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto files, ReadWrittenFiles(mark));
  for (const WrittenFile& file : files) placed->bytes += file.bytes;
  return files;
}

arrow::Result<bool> HasManifestOnStore(const StorePlace& place) {
  for (const char* name : {kManifestName.path, kManifestName.old_path}) {
    ARROW_ASSIGN_OR_RAISE(const bool is_there, place.Has(name));
    if (is_there) return true;
  }
  return false;
}

// What is listed may be much: a folder without a manifest is not.
arrow::Result<PlacedOutput> LookOnStore(const std::string& uri) {
  PlacedOutput placed;
  ARROW_ASSIGN_OR_RAISE(InputPlace place, LocateInput(uri));
  while (place.path.ends_with('/')) place.path.pop_back();
  ARROW_ASSIGN_OR_RAISE(const auto info, place.Look(WithoutCredentials(uri)));
  if (info.IsFile()) {
    placed.contents = ChecksumOf(fmt::format("{} {}", info.size(), info.mtime().time_since_epoch().count()));
    placed.bytes = info.size();
  }
  if (!info.IsDirectory()) return placed;
  const StorePlace there = StorePlace::ToRead(place, uri);
  ARROW_ASSIGN_OR_RAISE(const bool is_output, HasManifestOnStore(there));
  if (!is_output) return placed;
  ARROW_ASSIGN_OR_RAISE(const auto found, StoreCommit::LookAt(there));
  if (found.manifest.is_null()) return placed;
  ARROW_RETURN_NOT_OK(TakeMark(found.manifest, &placed));
  placed.is_whole = !found.is_incomplete && std::ranges::all_of(found.files, [&](const WrittenFile& file) {
    const auto object = found.objects.find(file.path);
    return object != found.objects.end() && object->second == file.bytes;
  });
  return placed;
}

}  // namespace

std::string ChecksumOfRun(const nlohmann::json& run) { return ChecksumOf(JsonText(run)); }

arrow::Result<PlacedOutput> LookAtOutput(const fs::path& folder) {
  if (IsOnStore(folder.string())) return LookOnStore(folder.string());
  PlacedOutput placed;
  ARROW_ASSIGN_OR_RAISE(const auto stopped, FindStoppedCommit(folder));
  ARROW_ASSIGN_OR_RAISE(const bool there, HasManifest(folder));
  if (!stopped && !there) return placed;
  nlohmann::json mark;
  if (stopped) {
    mark = stopped->success;
  } else {
    ARROW_ASSIGN_OR_RAISE(mark, ReadManifestOf(folder));
  }
  placed.is_stopped = stopped.has_value();
  ARROW_ASSIGN_OR_RAISE(const auto files, TakeMark(mark, &placed));
  ARROW_ASSIGN_OR_RAISE(const bool incomplete, PathExists(folder / kIncompleteMark));
  placed.is_whole = !incomplete;
  for (const WrittenFile& file : files) {
    std::error_code error;
    const auto size = fs::file_size(folder / file.path, error);
    placed.is_whole = placed.is_whole && !error && static_cast<int64_t>(size) == file.bytes;
  }
  return placed;
}

arrow::Result<bool> IsOutput(const fs::path& folder) {
  if (!IsOnStore(folder.string())) return HasManifest(folder);
  ARROW_ASSIGN_OR_RAISE(const InputPlace place, LocateInput(folder.string()));
  return HasManifestOnStore(StorePlace::ToRead(place, folder.string()));
}

RunRecord::RunRecord(const fs::path& folder, std::string stored)
    : folder_(folder), stored_(std::move(stored)), log_(folder / kPipelineMark) {}

arrow::Result<RunRecord> RunRecord::Read(const fs::path& folder, const std::string& stored) {
  RunRecord record(folder, stored);
  const fs::path path = folder / kPipelineMark;
  const auto read = record.log_.Read();
  if (read.status().IsInvalid()) {
    return read.status().WithMessage(read.status().message(),
                                     ", and the outputs that it tells of are taken for others'");
  }
  ARROW_ASSIGN_OR_RAISE(const auto contents, read);
  if (contents.file.is_null()) return record;
  const nlohmann::json& steps = MemberOf(contents.file, "steps");
  const auto damaged = [&path] {
    return arrow::Status::Invalid(path.string(), ": damaged; remove this file, and the outputs are taken ",
                                  "for others'");
  };
  if (!steps.is_object()) return damaged();
  for (const auto& [name, step] : steps.items()) {
    if (!record.Take(name, step)) return damaged();
  }
  for (const nlohmann::json& step : MemberOf(contents.file, "order")) {
    if (!step.is_string()) return damaged();
    record.order_.push_back(step.get<std::string>());
  }
  for (const nlohmann::json& change : contents.changes) {
    for (const auto& [name, step] : change.items()) {
      if (!record.Take(name, step)) return damaged();
    }
  }
  return record;
}

bool RunRecord::Take(const std::string& step, const nlohmann::json& json) {
  Entry entry;
  const nlohmann::json& identity = MemberOf(json, "identity");
  const nlohmann::json& mark = MemberOf(json, "mark");
  if (!identity.is_object() || !mark.is_string()) return false;
  for (const auto& [part, checksum] : identity.items()) {
    if (!checksum.is_string()) return false;
    entry.identity[part] = checksum.get<std::string>();
  }
  entry.mark = mark.get<std::string>();
  if (const nlohmann::json& run = MemberOf(json, "run"); run.is_string()) entry.run = run.get<std::string>();
  if (const auto& engine = MemberOf(json, "engine"); engine.is_string()) entry.engine = engine.get<std::string>();
  entry.is_done = MemberOf(json, "done") == true;
  entry.has_failed = MemberOf(json, "failed") == true;
  entries_[step] = std::move(entry);
  return true;
}

bool RunRecord::IsOurs(const Entry& entry, const PlacedOutput& placed) {
  if (placed.mark.empty() || placed.mark == entry.mark) return true;
  return !entry.is_done && !entry.run.empty() && placed.run == entry.run;
}

// Whether what lies in the place of a step's output may be replaced or gone on with.
bool RunRecord::MayBeOurs(const std::string& step, const StepIdentity& identity, const PlacedOutput& placed) const {
  const auto found = entries_.find(step);
  if (found == entries_.end()) return placed.mark.empty();
  const Entry& entry = found->second;
  if (IsOurs(entry, placed)) return true;
  // The same step goes on with what is its own and refuses another's. Where it has not told what it writes, as on
  // Spark, it may have committed since it was stopped; one that failed only within its commit.
  if (entry.is_done || entry.identity != identity || !entry.run.empty()) return false;
  return !entry.has_failed || placed.is_stopped;
}

arrow::Result<StepState> RunRecord::StateOf(const std::string& step, const StepIdentity& identity,
                                            const PlacedOutput& placed) const {
  const auto entry = entries_.find(step);
  const bool is_known = entry != entries_.end();
  if (!MayBeOurs(step, identity, placed)) {
    // There, the record may be older than what lies in the place, but not than what it knows of the same step.
    const bool is_anothers = is_known && !entry->second.is_done && entry->second.identity == identity;
    if (stored_.empty() || (is_anothers && !entry->second.run.empty())) return IsAnothers(step);
    return StepState::kNew;
  }
  if (!is_known) return StepState::kNew;
  if (!entry->second.is_done) return entry->second.identity == identity ? StepState::kStopped : StepState::kChanged;
  if (placed.mark.empty()) return StepState::kLost;
  if (entry->second.identity != identity) return StepState::kChanged;
  return placed.is_whole ? StepState::kDone : StepState::kLost;
}

arrow::Status RunRecord::IsAnothers(const std::string& step) const {
  return arrow::Status::Invalid(stored_.empty() ? (folder_ / step).string() : stored_ + "/" + step,
                                ": is not the output that this pipeline has made; move it ",
                                "away, or choose another --output");
}

std::vector<std::string> RunRecord::Changes(const std::string& step, const StepIdentity& identity) const {
  std::vector<std::string> changed;
  const auto entry = entries_.find(step);
  if (entry == entries_.end()) return changed;
  for (const auto& [part, checksum] : identity) {
    const auto known = entry->second.identity.find(part);
    if (known == entry->second.identity.end() || known->second != checksum) changed.push_back(part);
  }
  return changed;
}

// Of a step that was stopped, there is what lay there before, in its place or put aside, or what it has committed.
bool RunRecord::Replaces(const std::string& step, const StepIdentity& identity, const PlacedOutput& placed,
                         const std::string& engine) const {
  const auto found = entries_.find(step);
  if (found == entries_.end() || !MayBeOurs(step, identity, placed)) return false;
  const Entry& entry = found->second;
  // What another run has begun there, or in the folder for temporary data, goes with it.
  if (!stored_.empty() && !entry.is_done && entry.identity != identity) return true;
  const bool is_committed = !placed.mark.empty() && placed.mark != entry.mark;
  if (!entry.is_done && entry.identity == identity && is_committed) return false;
  if (!stored_.empty() && !entry.is_done && entry.engine != engine) return true;
  return !placed.mark.empty() || !entry.mark.empty();
}

std::vector<std::string> RunRecord::Others(const std::vector<std::string>& steps) const {
  const std::set<std::string_view> known(steps.begin(), steps.end());
  std::vector<std::string> others;
  for (const auto& [name, entry] : entries_) {
    if (!known.contains(name)) others.push_back(name);
  }
  return others;
}

bool RunRecord::IsDone(const std::string& step) const {
  const auto found = entries_.find(step);
  return found != entries_.end() && found->second.is_done;
}

void RunRecord::SetOrder(const std::vector<std::string>& steps) {
  is_written_ = is_written_ && order_ == steps;
  order_ = steps;
}

arrow::Status RunRecord::Save() {
  const bool has_all = is_written_ && !log_.is_there();
  return has_all || entries_.empty() ? arrow::Status::OK() : Write();
}

arrow::Status RunRecord::Begin(const std::string& step, const StepIdentity& identity, const PlacedOutput& placed,
                               const std::string& engine) {
  Entry begun;
  begun.identity = identity;
  begun.engine = engine;
  if (const auto known = entries_.find(step); known != entries_.end()) {
    const Entry& entry = known->second;
    if (stored_.empty() && !entry.is_done && (entry.identity != identity || entry.engine != engine)) {
      ARROW_RETURN_NOT_OK(RemoveUnfinishedRun(folder_ / step));
    }
    const bool goes_on = !entry.is_done && entry.identity == identity;
    if (goes_on) begun.run = entry.run;
    // What lay there before may be put aside; what the same step has committed is not from before.
    const bool is_before = !goes_on && !placed.mark.empty() && IsOurs(entry, placed);
    begun.mark = is_before ? placed.mark : entry.mark;
  }
  entries_[step] = std::move(begun);
  return Note(step);
}

arrow::Status RunRecord::Open(const std::string& step, const std::string& run, const PlacedOutput& placed) {
  Entry& entry = entries_[step];
  if (entry.run != run) {
    entry.run = run;
    ARROW_RETURN_NOT_OK(Note(step));
  }
  return IsOurs(entry, placed) ? arrow::Status::OK() : IsAnothers(step);
}

arrow::Status RunRecord::Fail(const std::string& step) {
  entries_[step].has_failed = true;
  return Note(step);
}

arrow::Status RunRecord::Finish(const std::string& step, const PlacedOutput& placed) {
  Entry& entry = entries_[step];
  entry.mark = placed.mark;
  entry.run.clear();
  entry.is_done = true;
  return Note(step);
}

nlohmann::json RunRecord::ToJson(const Entry& entry) {
  nlohmann::json json = {
      {"identity", entry.identity}, {"mark", entry.mark}, {"done", entry.is_done}, {"failed", entry.has_failed}};
  if (!entry.run.empty()) json["run"] = entry.run;
  if (!entry.engine.empty()) json["engine"] = entry.engine;
  return json;
}

nlohmann::json RunRecord::Whole() const {
  nlohmann::json steps = nlohmann::json::object();
  for (const auto& [name, entry] : entries_) steps[name] = ToJson(entry);
  return {{"steps", std::move(steps)}, {"order", order_}};
}

arrow::Status RunRecord::Note(const std::string& step) {
  if (!is_written_) return Write();
  return log_.Add({{step, ToJson(entries_[step])}}, [this] { return Whole(); });
}

arrow::Status RunRecord::Write() {
  ARROW_RETURN_NOT_OK(log_.WriteFile(Whole()));
  is_written_ = true;
  return arrow::Status::OK();
}

}  // namespace uzushio
