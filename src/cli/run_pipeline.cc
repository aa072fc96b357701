#include "cli/run_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include "base/counters.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/stop.h"
#include "storage/local_files.h"
#include "storage/lock_file.h"
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

// Errors: what a run writes there is not ours to replace.
arrow::Status CheckFolder(const fs::path& output) {
  ARROW_ASSIGN_OR_RAISE(const bool is_known, PathExists(output / kPipelineMark));
  for (const fs::path& ours : {output / kPipelineSummaries, ChainPath(output, "").parent_path()}) {
    ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(ours));
    if (there && !is_known) {
      return arrow::Status::Invalid(ours.string(), ": is there, and no pipeline has made it; move it away, or choose ",
                                    "another --output");
    }
  }
  return arrow::Status::OK();
}

// What the steps said when they were run, by folder.
class Summaries {
 public:
  explicit Summaries(const fs::path& folder) : path_(folder / kPipelineSummaries) {
    const auto read = ReadJsonObject(path_);
    if (!read.ok()) return;  // they are told again by those that run
    for (const auto& [step, summary] : MemberOf(*read, "steps").items()) {
      if (summary.is_object()) steps_[step] = summary;
    }
  }
  nlohmann::ordered_json Of(const std::string& step) const { return steps_.value(step, nlohmann::json::object()); }
  arrow::Status Set(const std::string& step, const nlohmann::ordered_json& summary) {
    steps_[step] = summary;
    return WriteFileAtomically(path_, JsonText(nlohmann::json{{"steps", steps_}}, 2) + "\n");
  }

 private:
  fs::path path_;
  nlohmann::json steps_ = nlohmann::json::object();
};

// One run over all steps.
class PipelineRun {
 public:
  PipelineRun(const Pipeline& pipeline, const CommonOptions& common, const Console& console, RunRecord record)
      : pipeline_(pipeline),
        common_(common),
        console_(console),
        record_(std::move(record)),
        summaries_(pipeline.output()) {}

  arrow::Result<nlohmann::ordered_json> All() {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    Counters quarantined;
    record_.SetOrder(pipeline_.folders());
    for (size_t i = 0; i < pipeline_.steps().size(); ++i) {
      ARROW_RETURN_NOT_OK(CheckStop());
      ARROW_ASSIGN_OR_RAISE(nlohmann::ordered_json step, Do(i));
      const nlohmann::json said = step["summary"];
      for (const auto& [reason, count] : MemberOf(said, "quarantined").items()) {
        if (count.is_number_integer()) quarantined.Add(reason, count.get<int64_t>());
      }
      steps.push_back(std::move(step));
    }
    ARROW_RETURN_NOT_OK(record_.Save());
    for (const std::string& other : record_.Others(pipeline_.folders())) {
      console_.Info((pipeline_.output() / other).string() + ": is no longer in the pipeline; it stays as it is");
    }
    return nlohmann::ordered_json{{"stage", "run"},
                                  {"steps", std::move(steps)},
                                  {"left_out", ToJson(pipeline_.left_out())},
                                  {"quarantined", quarantined.counts()},
                                  {"output", NameOfPath(pipeline_.output().string())}};
  }

 private:
  arrow::Result<nlohmann::ordered_json> Do(size_t i) {
    const std::string& folder = pipeline_.steps()[i].folder;
    ARROW_ASSIGN_OR_RAISE(const auto files, pipeline_.Files(i));
    ARROW_ASSIGN_OR_RAISE(const StepIdentity identity, pipeline_.Identity(i, files));
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes_in, pipeline_.InputBytes(i, files));
    ARROW_ASSIGN_OR_RAISE(PlacedOutput placed, pipeline_.Placed(i));
    ARROW_ASSIGN_OR_RAISE(const StepState state, record_.StateOf(folder, identity, placed));
    if (state != StepState::kDone) {
      const bool replaces = record_.Replaces(folder, identity, placed);
      ARROW_RETURN_NOT_OK(record_.Begin(folder, identity, placed));
      const auto summary = Run(i, bytes_in, replaces);
      if (!summary.ok()) {
        ARROW_RETURN_NOT_OK(record_.Fail(folder));
        return summary.status();
      }
      ARROW_RETURN_NOT_OK(summaries_.Set(folder, *summary));
      ARROW_ASSIGN_OR_RAISE(placed, pipeline_.Placed(i));
      ARROW_RETURN_NOT_OK(record_.Finish(folder, placed));
    }
    return nlohmann::ordered_json{{"name", folder},
                                  {"command", pipeline_.stage_of(i).command},
                                  {"was_done", state == StepState::kDone},
                                  {"bytes_in", bytes_in},
                                  {"bytes", placed.bytes},
                                  {"summary", summaries_.Of(folder)}};
  }

  arrow::Result<nlohmann::ordered_json> Run(size_t i, int64_t bytes, bool replaces) {
    const std::string& folder = pipeline_.steps()[i].folder;
    const std::string name = fmt::format("{} ({} of {})", folder, i + 1, pipeline_.steps().size());
    const auto start = std::chrono::steady_clock::now();
    ProgressBar bar(common_, console_);
    RunHooks hooks;
    hooks.warning = [&](const std::string& warning) { console_.Warning(folder + ": " + warning); };
    hooks.progress = [&](double share, const std::string& note) {
      if (const auto& tell = console_.hooks().progress) {  // of all steps
        return tell((static_cast<double>(i) + share) / static_cast<double>(pipeline_.steps().size()),
                    name + ": " + note);
      }
      bar.Update(static_cast<int64_t>(share * static_cast<double>(bytes)), bytes, name + ": " + note);
    };
    auto summary =
        RunStep(pipeline_.prepared(i), pipeline_.stage_of(i).place, pipeline_.output(), common_, replaces, hooks);
    bar.Clear();
    ARROW_RETURN_NOT_OK(summary);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    console_.Info(fmt::format("{}: {} of input in {:.3g} s", name, FormatBytes(bytes), seconds));
    return summary;
  }

  const Pipeline& pipeline_;
  const CommonOptions& common_;
  const Console& console_;
  RunRecord record_;
  Summaries summaries_;
};

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

arrow::Result<nlohmann::ordered_json> RunPipeline(const Pipeline& pipeline, const CommonOptions& common,
                                                  const Console& console) {
  ARROW_RETURN_NOT_OK(MakeFolder(pipeline.output()));
  ARROW_ASSIGN_OR_RAISE(const auto lock, LockFile::Try(pipeline.output() / ".pipeline.lock"));
  if (lock == nullptr) {
    return arrow::Status::Invalid(pipeline.output().string(), ": another process runs a pipeline here now");
  }
  ARROW_RETURN_NOT_OK(CheckFolder(pipeline.output()));
  ARROW_ASSIGN_OR_RAISE(RunRecord record, RunRecord::Read(pipeline.output()));
  return PipelineRun(pipeline, common, console, std::move(record)).All();
}

arrow::Result<nlohmann::ordered_json> RunStep(const PreparedStep& step, const std::string& place,
                                              const fs::path& output, const CommonOptions& common, bool overwrite,
                                              const RunHooks& hooks) {
  if (step.chain) {
    const fs::path path = ChainPath(output, step.folder);
    ARROW_RETURN_NOT_OK(MakeFolder(path.parent_path()));
    ARROW_RETURN_NOT_OK(WriteFileAtomically(path, *step.chain));
  }
  OptionTexts given = step.given;
  given.emplace_back("output", (output / step.folder).string());
  given.emplace_back("threads", std::to_string(common.threads));
  if (common.memory) given.emplace_back("memory", std::to_string(*common.memory));
  if (overwrite) given.emplace_back("overwrite", "");
  arrow::Status error;
  nlohmann::ordered_json summary = nlohmann::ordered_json::object();
  RunHooks own = hooks;
  own.error = [&error](const arrow::Status& status) { error = status; };
  own.summary = [&summary](const nlohmann::ordered_json& json) { summary = json; };
  own.print = [](const std::string&) {};
  step.command->run(step.inputs, given, own);
  if (error.ok()) return summary;
  return error.WithMessage(place, " (", step.folder, "): ", error.message());
}

nlohmann::ordered_json ToJson(const std::vector<LeftOut>& left_out) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const LeftOut& one : left_out) {
    json.push_back({{"stage", one.stage}, {"filter", one.filter}, {"wanted", one.wanted}});
  }
  return json;
}

}  // namespace uzushio
