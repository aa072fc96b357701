#include "cli/run_sample.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>

#include "cli/run_steps.h"
#include "stages/extract/extract.h"
#include "storage/local_files.h"
#include "storage/temporary_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// How much of a file the sample has: web archives can end anywhere, and lines where one ends.
arrow::Result<std::string> BeginOf(const InputFile& file, int64_t bytes) {
  constexpr int64_t kWhole = 16;  // times as large, a file that can not be cut is taken whole
  const auto ends_with = [&file](std::string_view suffix) { return file.path.ends_with(suffix); };
  const bool is_archive = std::ranges::any_of(kWarcSuffixes, ends_with);
  const bool has_lines = ends_with(".txt") || ends_with(".jsonl") || ends_with(".json");
  const bool can_be_cut = is_archive || has_lines;
  if (!can_be_cut && file.size > kWhole * bytes) {
    return arrow::Status::Invalid(file.name, ": is of ", FormatBytes(file.size), " and can not be cut for a sample");
  }
  ARROW_ASSIGN_OR_RAISE(const auto stream, file.filesystem->OpenInputFile(file.path));
  ARROW_ASSIGN_OR_RAISE(const auto data, stream->Read(can_be_cut ? std::min(bytes, file.size) : file.size));
  std::string begin = data->ToString();
  const size_t end = has_lines && data->size() < file.size ? begin.rfind('\n') : std::string::npos;
  if (end != std::string::npos) begin.resize(end + 1);
  return begin;
}

class PlanSample {
 public:
  PlanSample(const Pipeline& pipeline, fs::path folder, int64_t bytes)
      : pipeline_(pipeline), folder_(std::move(folder)), bytes_(bytes) {}

  arrow::Result<std::vector<SampledStep>> Run(const CommonOptions& common) {
    for (size_t i = 0; i < pipeline_.steps().size(); ++i) {
      if (pipeline_.steps()[i].stage < sampled_.size()) continue;  // not the first of its stage
      ARROW_ASSIGN_OR_RAISE(SampledStep sampled, RunOne(i, common));
      sampled_.push_back(sampled);
    }
    return sampled_;
  }

 private:
  arrow::Result<SampledStep> RunOne(size_t i, const CommonOptions& common) {
    PipelineStep step = pipeline_.steps()[i];
    if (pipeline_.prepared(i).reads_by_index()) {
      return arrow::Status::Invalid(step.folder, " reads by an index, and no sample is taken of that; ",
                                    "uzushio extract --index … --plan says what it takes");
    }
    ARROW_ASSIGN_OR_RAISE(const auto files, pipeline_.Files(i));
    int64_t own = 0;
    nlohmann::json input = nlohmann::json::array();
    if (!files.empty()) {
      const InputFile& file = files[files.size() / 2];
      ARROW_ASSIGN_OR_RAISE(const std::string begin, BeginOf(file, bytes_));
      const fs::path path =
          folder_ / "inputs" / std::to_string(step.stage) / fs::path(PathOfName(file.name)).filename();
      ARROW_RETURN_NOT_OK(MakeFolder(path.parent_path()));
      ARROW_RETURN_NOT_OK(WriteFileAtomically(path, begin));
      input.push_back(path.string());
      own = static_cast<int64_t>(begin.size());
    }
    for (const std::string& text : ListOf(step.values.at("input"))) {
      if (text.starts_with('@')) input.push_back(Here(text));
    }
    step.values = Here(step.values);
    step.values["input"] = std::move(input);
    ARROW_ASSIGN_OR_RAISE(const PreparedStep prepared,
                          PrepareStep(pipeline_.stage_of(i), step, folder_, pipeline_.properties(), common.memory));
    ARROW_ASSIGN_OR_RAISE(const nlohmann::ordered_json summary,
                          RunStep(prepared, pipeline_.stage_of(i).place, folder_, folder_, common, false, {}));
    ARROW_ASSIGN_OR_RAISE(const PlacedOutput placed, LookAtOutput(folder_ / step.folder));
    own_.push_back(own);
    stands_on_.push_back({step.stage});
    for (const size_t source : step.sources) {
      const auto& of = stands_on_[pipeline_.steps()[source].stage];
      stands_on_.back().insert(of.begin(), of.end());
    }
    SampledStep sampled = {.output_bytes = placed.bytes};
    for (const size_t stage : stands_on_.back()) sampled.input_bytes += own_[stage];
    sampled.thread_seconds = summary.value("seconds", 0.0) * UsefulThreads(sampled.input_bytes, common.threads);
    return sampled;
  }

  // A value in which outputs are those of the sample: of the first step of each stage.
  nlohmann::json Here(const nlohmann::json& value) const {
    if (value.is_structured()) {
      nlohmann::json all = value.is_array() ? nlohmann::json::array() : nlohmann::json::object();
      for (const auto& [key, one] : value.items()) {
        nlohmann::json here = Here(one);
        if (value.is_object()) {
          all[key] = std::move(here);
        } else if (std::ranges::find(all, here) == all.end()) {
          all.push_back(std::move(here));
        }
      }
      return all;
    }
    if (!value.is_string() || !value.get_ref<const std::string&>().starts_with('@')) return value;
    const std::string text = value.get<std::string>().substr(1);
    for (const PipelineStep& step : pipeline_.steps()) {
      if (text != step.folder && !text.starts_with(step.folder + "/")) continue;
      const auto first = std::ranges::find(pipeline_.steps(), step.stage, &PipelineStep::stage);
      return "@" + first->folder + text.substr(step.folder.size());
    }
    return value;
  }

  const Pipeline& pipeline_;
  fs::path folder_;
  int64_t bytes_;
  std::vector<SampledStep> sampled_;         // by stage
  std::vector<int64_t> own_;                 // bytes of the sample of a stage's own input
  std::vector<std::set<size_t>> stands_on_;  // stages, itself too
};

}  // namespace

arrow::Result<std::vector<SampledStep>> RunSample(const Pipeline& pipeline, const CommonOptions& common,
                                                  int64_t bytes) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) return arrow::Status::IOError("there is no folder for temporary files: ", error.message());
  ARROW_ASSIGN_OR_RAISE(const auto folder, TemporaryFolder::MakeAfterKilled(temporary / "uzushio-plan"));
  return PlanSample(pipeline, folder->path(), bytes).Run(common);
}

}  // namespace uzushio
