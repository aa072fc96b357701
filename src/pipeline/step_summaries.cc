#include "pipeline/step_summaries.h"

#include "base/json.h"
#include "storage/local_files.h"

namespace uzushio {
namespace fs = std::filesystem;

StepSummaries::StepSummaries(const fs::path& folder) : path_(folder / kPipelineSummaries), log_(path_) {}

arrow::Result<StepSummaries> StepSummaries::Read(const fs::path& folder) {
  StepSummaries summaries(folder);
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(summaries.path_));
  if (there) {
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json read, ReadJsonObject(summaries.path_));
    summaries.Take(MemberOf(read, "steps"));
  }
  ARROW_ASSIGN_OR_RAISE(const auto changes, summaries.log_.Read());
  for (const nlohmann::json& change : changes) summaries.Take(change);
  return summaries;
}

void StepSummaries::Take(const nlohmann::json& steps) {
  for (const auto& [step, summary] : steps.items()) {
    if (summary.is_object()) steps_[step] = summary;
  }
}

const nlohmann::json& StepSummaries::Of(const std::string& step) const { return MemberOf(steps_, step.c_str()); }

arrow::Status StepSummaries::Set(const std::string& step, const nlohmann::json& summary) {
  steps_[step] = summary;
  return log_.Add({{step, summary}}, [this] { return Whole(); });
}

arrow::Status StepSummaries::Save() { return log_.is_there() ? log_.WriteFile(Whole()) : arrow::Status::OK(); }

nlohmann::json StepSummaries::Whole() const { return {{"steps", steps_}}; }

}  // namespace uzushio
