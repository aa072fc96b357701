#include "cli/run_pipeline.h"

#include <algorithm>
#include <set>

#include "base/nearest.h"
#include "storage/local_files.h"
#include "storage/output_names.h"
#include "storage/places.h"
#include "storage/store_place.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// Whether each property is taken, by the pipeline or a chain.
arrow::Status CheckProperties(const PipelineFile& file, const std::vector<PreparedStep>& steps,
                              const std::map<std::string, std::string>& properties) {
  std::set<std::string> taken = {"sudachi"};
  for (const PreparedStep& step : steps) taken.insert(step.taken.begin(), step.taken.end());
  for (const PipelineStage& stage : file.stages()) {
    for (const auto& need : nlohmann::json(stage.needs).flatten()) {
      if (need.is_string()) taken.insert(need.get<std::string>());
    }
  }
  for (const auto& [name, value] : properties) {
    if (taken.contains(name) || file.Mentions(name)) continue;
    return arrow::Status::Invalid("-P ", name, ": nothing in the pipeline takes it",
                                  DidYouMean(name, {taken.begin(), taken.end()}));
  }
  return arrow::Status::OK();
}

// An error of a stage's inputs, at --input or --index where one of those is meant.
arrow::Status AtOption(const arrow::Status& error, const std::string& place, const RunInputs& inputs) {
  const std::string& message = error.message();
  for (const auto& [key, given] : {std::pair("input", &inputs.files), std::pair("index", &inputs.tables)}) {
    const std::string of_stage = place + "." + key + ": ";
    if (!message.starts_with(of_stage)) continue;
    const bool is_given = std::ranges::any_of(*given, [&](const std::string& input) {
      return message.substr(of_stage.size()).starts_with(WithoutCredentials(NameOfPath(input)));
    });
    if (is_given) return error.WithMessage("--", key, " ", message.substr(of_stage.size()));
  }
  return error;
}

// What `${input}` stands for; null: nothing is given.
nlohmann::json ValueOf(const RunInputs& inputs) {
  nlohmann::json value = inputs.selection;
  for (const std::string& table : inputs.tables) value["index"].push_back(NameOfPath(table));
  for (const std::string& input : inputs.files) value.push_back(NameOfPath(input));
  return value;
}

// The finished output that a folder is, or lies in; empty: there is none.
arrow::Result<std::string> OutputOf(const fs::path& folder) {
  if (IsOnStore(folder.string())) {
    ARROW_ASSIGN_OR_RAISE(const StorePlace place, StorePlace::Locate(folder.string()));
    ARROW_ASSIGN_OR_RAISE(const bool is_output, IsOutput(folder));
    return is_output ? place.name() : place.OutputAround();
  }
  ARROW_ASSIGN_OR_RAISE(const fs::path path, CanonicalPath(folder));
  const fs::path around = FinishedOutputAround(path);
  return around == path ? folder.string() : around.string();
}

// What a pipeline writes into a finished output would be of that in the eyes of other programs.
arrow::Status CheckInNoOutput(const fs::path& folder) {
  ARROW_ASSIGN_OR_RAISE(const std::string output, OutputOf(folder));
  if (output.empty()) return arrow::Status::OK();
  const std::string name = NameOfOutput(folder.string());
  return arrow::Status::Invalid("--output ", name, output == name ? ": is" : ": lies in " + output + ", which is",
                                " a finished output; choose a folder beside it");
}

}  // namespace

std::string Pipeline::NameOf(const std::string& folder) const {
  return NameOfOutput((folder.empty() ? output_ : output_ / folder).string());
}

arrow::Result<Pipeline> Pipeline::Read(const std::string& path, const std::map<std::string, std::string>& properties,
                                       const RunInputs& inputs, const fs::path& output, int64_t memory) {
  if (IsOnStore(output.string())) {
    ARROW_RETURN_NOT_OK(StorePlace::Locate(output.string()).status());
  } else {
    ARROW_RETURN_NOT_OK(CheckIsPath("--output", output.string()));
  }
  Pipeline pipeline;
  pipeline.output_ = output;
  pipeline.properties_ = properties;
  pipeline.inputs_ = inputs;
  nlohmann::json values = properties;
  const nlohmann::json input = ValueOf(inputs);
  if (!input.is_null()) values["input"] = input;
  ARROW_ASSIGN_OR_RAISE(pipeline.file_, PipelineFile::Read(path, values));
  if (!input.is_null() && !pipeline.file_.Mentions("input")) {
    return arrow::Status::Invalid(inputs.tables.empty() ? "--input: " : "--index: ", path, " has no ${input}");
  }
  for (const PipelineStep& step : pipeline.steps()) {
    const PipelineStage& stage = pipeline.file_.stages()[step.stage];
    ARROW_ASSIGN_OR_RAISE(PreparedStep prepared, PrepareStep(stage, step, output, properties, memory));
    pipeline.step_at_[(output / step.folder).string()] = pipeline.prepared_.size();
    pipeline.prepared_.push_back(std::move(prepared));
  }
  ARROW_RETURN_NOT_OK(CheckProperties(pipeline.file_, pipeline.prepared_, properties));
  ARROW_ASSIGN_OR_RAISE(pipeline.places_, StepPlaces::Of(pipeline.file_, output));
  ARROW_RETURN_NOT_OK(CheckInNoOutput(output));
  ARROW_RETURN_NOT_OK(pipeline.CheckPaths());
  return pipeline;
}

// What a pattern above the outputs matches is looked for here already: an old output would be read by a step that is
// looked at first, and the new one by one that is later.
arrow::Status Pipeline::CheckPaths() const {
  for (size_t i = 0; i < steps().size(); ++i) {
    bool may_match = false;
    for (const NamedPath& path : prepared_[i].paths) {
      ARROW_RETURN_NOT_OK(places_.CheckPath(file_, i, path));
      if (path.key != "input" && path.key != "index") continue;
      ARROW_ASSIGN_OR_RAISE(const bool is_above, places_.MayMatch(path.text));
      may_match = may_match || is_above;
    }
    // Those that stand on no other step are there before anything is written.
    if (may_match || steps()[i].sources.empty()) ARROW_RETURN_NOT_OK(Files(i).status());
  }
  return arrow::Status::OK();
}

arrow::Status Pipeline::CheckOptions() const {
  for (size_t i = 0; i < prepared_.size(); ++i) {
    const PreparedStep& step = prepared_[i];
    if (!step.command->check) continue;
    const OptionTexts given = WithOutput(step.given, (output_ / step.folder).string());
    const arrow::Status status = step.command->check(given);
    if (!status.ok()) return status.WithMessage(stage_of(i).place, ": ", status.message());
  }
  return arrow::Status::OK();
}

std::vector<LeftOutFilter> Pipeline::left_out() const {
  std::vector<LeftOutFilter> all;
  for (const PreparedStep& step : prepared_) {
    for (const LeftOutFilter& one : step.left_out) {
      if (std::ranges::find(all, one) == all.end()) all.push_back(one);
    }
  }
  return all;
}

std::vector<std::string> Pipeline::folders() const {
  std::vector<std::string> names;
  for (const PipelineStep& step : steps()) names.push_back(step.folder);
  return names;
}

std::vector<std::string> Pipeline::stage_names() const {
  std::vector<std::string> names;
  for (const PipelineStage& stage : file_.stages()) names.push_back(stage.name);
  return names;
}

arrow::Result<PlacedOutput> Pipeline::Placed(size_t step) const {
  const std::string& folder = steps()[step].folder;
  for (fs::path above = fs::path(folder).parent_path(); !above.empty(); above = above.parent_path()) {
    if (no_outputs_.contains(above)) continue;
    ARROW_ASSIGN_OR_RAISE(const bool is_output, IsOutput(output_ / above));
    if (!is_output) {
      no_outputs_.insert(above);
      continue;
    }
    return arrow::Status::Invalid(NameOf(above.string()), ": is an output, in which ", folder, " would lie, since ",
                                  stage_of(step).place,
                                  " has more loops now; move it away, or choose another --output");
  }
  ARROW_ASSIGN_OR_RAISE(placed_[step], LookAtOutput(output_ / folder));
  return placed_[step];
}

arrow::Result<PlacedOutput> Pipeline::PlacedBefore(size_t step) const {
  const auto known = placed_.find(step);
  if (known != placed_.end()) return known->second;
  return Placed(step);
}

arrow::Result<std::vector<InputFile>> Pipeline::Files(size_t step) const {
  auto files = FilesOfOthers(stage_of(step), steps()[step]);
  if (!files.ok()) return AtOption(files.status(), stage_of(step).place, inputs_);
  ARROW_RETURN_NOT_OK(places_.CheckFiles(file_, step, prepared_[step].input_key, *files));
  return files;
}

arrow::Result<int64_t> Pipeline::InputBytes(size_t step, const std::vector<InputFile>& files) const {
  int64_t bytes = 0;
  for (const InputFile& file : files) bytes += file.size;
  for (const size_t source : steps()[step].sources) {
    ARROW_ASSIGN_OR_RAISE(const PlacedOutput placed, PlacedBefore(source));
    bytes += placed.bytes;
  }
  return bytes;
}

arrow::Result<StepIdentity> Pipeline::Identity(size_t step, const std::vector<InputFile>& files) const {
  nlohmann::json sources = nlohmann::json::object();
  for (const size_t source : steps()[step].sources) {
    ARROW_ASSIGN_OR_RAISE(const PlacedOutput placed, PlacedBefore(source));
    sources[steps()[source].folder] = placed.contents;
  }
  return IdentityOf(prepared_[step], steps()[step], files, sources,
                    [this](const std::string& place) { return PlacedAt(place); });
}

// Of a run's own outputs, those of steps are known, and others come to be; what it only reads stays what it was.
arrow::Result<PlacedOutput> Pipeline::PlacedAt(const std::string& place) const {
  if (const auto step = step_at_.find(place); step != step_at_.end()) return PlacedBefore(step->second);
  if (place.starts_with(output_.string())) return LookAtOutput(place);
  const auto known = placed_elsewhere_.find(place);
  if (known != placed_elsewhere_.end()) return known->second;
  ARROW_ASSIGN_OR_RAISE(PlacedOutput placed, LookAtOutput(place));
  return placed_elsewhere_.emplace(place, std::move(placed)).first->second;
}

nlohmann::ordered_json ToJson(const std::vector<LeftOutFilter>& left_out) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const LeftOutFilter& one : left_out) {
    json.push_back({{"stage", one.stage}, {"filter", one.filter}, {"wanted", one.wanted}});
  }
  return json;
}

}  // namespace uzushio
