#include "cli/run_pipeline.h"

#include <algorithm>
#include <set>

#include "base/nearest.h"
#include "storage/local_files.h"
#include "storage/output_folder.h"

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

// Errors: a path lies in the output of a stage before. It has to name the stage, or the two would run side by side.
arrow::Status CheckPath(const std::string& text, const std::string& key, const PipelineFile& file, size_t step,
                        const fs::path& output) {
  if (text.starts_with('@') || text.find("://") != std::string::npos) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const fs::path path, CanonicalPath(BeforeWildcards(text)));
  for (size_t i = 0; i < step; ++i) {
    const std::string& folder = file.steps()[i].folder;
    ARROW_ASSIGN_OR_RAISE(const fs::path place, CanonicalPath(output / folder));
    if (!IsIn(path, place)) continue;
    const std::string rest = path == place ? "" : "/" + path.lexically_relative(place).string();
    return arrow::Status::Invalid(file.stages()[file.steps()[step].stage].place, ".", key, ": '", text,
                                  "' is in the output of a stage before it; write \"@",
                                  file.stages()[file.steps()[i].stage].name, rest, "\"");
  }
  return arrow::Status::OK();
}

// The same of all inputs and options that are paths.
arrow::Status CheckPaths(const PipelineFile& file, const std::vector<PreparedStep>& steps, const fs::path& output) {
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const auto& [key, value] : file.steps()[i].values.items()) {
      const auto& options = steps[i].command->options;
      const auto option = std::ranges::find(options, key, &OptionDeclaration::name);
      const bool is_path = option == options.end() ? key == "input" : option->type == OptionType::kPath;
      if (!is_path) continue;
      for (const std::string& text : ListOf(value)) ARROW_RETURN_NOT_OK(CheckPath(text, key, file, i, output));
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<Pipeline> Pipeline::Read(const std::string& path, const std::map<std::string, std::string>& properties,
                                       const std::vector<std::string>& inputs, const fs::path& output) {
  if (output.string().find("://") != std::string::npos) {
    return arrow::Status::Invalid("--output ", output.string(), ": a local folder is wanted");
  }
  Pipeline pipeline;
  pipeline.output_ = output;
  pipeline.properties_ = properties;
  nlohmann::json values = properties;
  for (const std::string& input : inputs) values["input"].push_back(NameOfPath(input));
  ARROW_ASSIGN_OR_RAISE(pipeline.file_, PipelineFile::Read(path, values));
  if (!inputs.empty() && !pipeline.file_.Mentions("input")) {
    return arrow::Status::Invalid("--input: ", path, " has no ${input}");
  }
  for (const PipelineStep& step : pipeline.steps()) {
    const PipelineStage& stage = pipeline.file_.stages()[step.stage];
    ARROW_ASSIGN_OR_RAISE(PreparedStep prepared, PrepareStep(stage, step, output, properties));
    pipeline.prepared_.push_back(std::move(prepared));
  }
  ARROW_RETURN_NOT_OK(CheckProperties(pipeline.file_, pipeline.prepared_, properties));
  ARROW_RETURN_NOT_OK(CheckPaths(pipeline.file_, pipeline.prepared_, output));
  return pipeline;
}

std::vector<LeftOut> Pipeline::left_out() const {
  std::vector<LeftOut> all;
  for (const PreparedStep& step : prepared_) {
    for (const LeftOut& one : step.left_out) {
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
    ARROW_ASSIGN_OR_RAISE(const bool is_output, PathExists(output_ / above / kSuccessMark));
    if (!is_output) continue;
    return arrow::Status::Invalid((output_ / above).string(), ": is an output, in which ", folder, " would lie, since ",
                                  stage_of(step).place,
                                  " has more loops now; move it away, or choose another --output");
  }
  return LookAtOutput(output_ / folder);
}

arrow::Result<std::vector<InputFile>> Pipeline::Files(size_t step) const {
  return FilesOfOthers(stage_of(step), steps()[step]);
}

arrow::Result<int64_t> Pipeline::InputBytes(size_t step, const std::vector<InputFile>& files) const {
  int64_t bytes = 0;
  for (const InputFile& file : files) bytes += file.size;
  for (const size_t source : steps()[step].sources) {
    ARROW_ASSIGN_OR_RAISE(const PlacedOutput placed, Placed(source));
    bytes += placed.bytes;
  }
  return bytes;
}

arrow::Result<StepIdentity> Pipeline::Identity(size_t step, const std::vector<InputFile>& files) const {
  nlohmann::json sources = nlohmann::json::object();
  for (const size_t source : steps()[step].sources) {
    ARROW_ASSIGN_OR_RAISE(const PlacedOutput placed, Placed(source));
    sources[steps()[source].folder] = placed.contents;
  }
  return IdentityOf(prepared_[step], steps()[step], files, sources);
}

nlohmann::ordered_json ToJson(const std::vector<LeftOut>& left_out) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const LeftOut& one : left_out) {
    json.push_back({{"stage", one.stage}, {"filter", one.filter}, {"wanted", one.wanted}});
  }
  return json;
}

}  // namespace uzushio
