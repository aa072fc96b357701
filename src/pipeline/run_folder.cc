#include "pipeline/run_folder.h"

#include <array>
#include <utility>

#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/store_place.h"

namespace uzushio {

namespace fs = std::filesystem;

arrow::Result<RunFolder> RunFolder::Open(const std::string& output) {
  RunFolder folder;
  folder.output_ = output;
  folder.path_ = output;
  if (!IsOnStore(output)) return folder;
  ARROW_ASSIGN_OR_RAISE(const fs::path root, StagingRoot());
  ARROW_ASSIGN_OR_RAISE(folder.copy_, TemporaryFolder::Make(root / "uzushio-run"));
  folder.path_ = folder.copy_->path();
  ARROW_ASSIGN_OR_RAISE(const InputPlace place, LocateInput(output));
  const StorePlace there(place.filesystem, place.path.substr(0, place.path.find_last_not_of('/') + 1),
                         StoreName(output));
  for (const char* name : {kPipelineMark, kPipelineSummaries}) {
    const auto text = there.Read(name);
    if (!text.ok()) return AboutAccess(there.name(), text.status());
    if (!*text) continue;
    ARROW_RETURN_NOT_OK(WriteFileAtomically(folder.path_ / name, **text));
    folder.there_[name] = **text;
  }
  return folder;
}

arrow::Status RunFolder::About(const arrow::Status& status) const {
  if (status.ok() || !is_copy()) return status;
  std::string message = status.message();
  const size_t at = message.find(path_.string());
  if (at != std::string::npos) message.replace(at, path_.string().size(), StoreName(output_));
  return status.WithMessage(message);
}

arrow::Result<RunRecord> RunFolder::Record() const {
  auto record = RunRecord::Read(path_, is_copy() ? StoreName(output_) : "");
  if (!record.ok()) return About(record.status());
  return record;
}

arrow::Result<StepSummaries> RunFolder::Summaries() const {
  auto summaries = StepSummaries::Read(path_);
  if (!summaries.ok()) return About(summaries.status());
  return summaries;
}

arrow::Status RunFolder::Put(const RunRecord& record, const StepSummaries& summaries) {
  if (!is_copy()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const StorePlace place, StorePlace::Locate(output_));
  const std::array<std::pair<const char*, nlohmann::json>, 2> files = {std::pair(kPipelineSummaries, summaries.Whole()),
                                                                       {kPipelineMark, record.Whole()}};
  for (const auto& [name, json] : files) {
    std::string text = JsonText(json, 2) + "\n";
    if (there_[name] == text) continue;
    ARROW_RETURN_NOT_OK(place.Put(name, text));
    there_[name] = std::move(text);
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
