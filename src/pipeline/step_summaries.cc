#include "pipeline/step_summaries.h"

#include "base/json.h"

namespace uzushio {
namespace fs = std::filesystem;

StepSummaries::StepSummaries(const fs::path& folder) : log_(folder / kPipelineSummaries) {}

arrow::Result<StepSummaries> StepSummaries::Read(const fs::path& folder) {
  StepSummaries summaries(folder);
  ARROW_ASSIGN_OR_RAISE(const auto contents, summaries.log_.Read());
  summaries.Take(MemberOf(contents.file, "steps"));
  for (const nlohmann::json& change : contents.changes) summaries.Take(change);
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
