#include "cli/commands_list.h"

#include <arrow/util/io_util.h>

#include <csignal>
#include <memory>
#include <set>
#include <string>

#include "base/signal_stop.h"
#include "base/stop.h"
#include "cli/chain_warnings.h"
#include "cli/common.h"
#include "cli/run_pipeline.h"
#include "cli/run_plan.h"
#include "cli/run_steps.h"
#include "cli/summary.h"
#include "filters/preset.h"
#include "stages/extract/index_selection.h"
#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/places.h"

namespace uzushio {
namespace {

struct RunArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // the pipeline, or nothing
  std::string preset;
  RunInputs input;
  std::string output;
  std::vector<std::string> properties;
  bool plan = false;
  int64_t at_once = 4096;
  std::string on = "here";
  SparkSettings spark;
  int64_t sample = 8 << 20;
};

// The pipeline's file: that of a path, or one that is installed.
arrow::Result<std::string> FindPipeline(const RunArguments& arguments) {
  if (arguments.inputs.empty() == arguments.preset.empty()) {
    return arrow::Status::Invalid("give one of PIPELINE and --preset NAME");
  }
  if (arguments.preset.empty()) return arguments.inputs.front();
  if (const auto file = FindPipelineFile(arguments.preset)) return file->string();
  return arrow::Status::IOError("--preset ", arguments.preset, ": is not installed with this program");
}

RunSteps HowToRun(const RunArguments& arguments) {
  RunSteps how = {.at_once = static_cast<size_t>(arguments.at_once), .spark = std::nullopt};
  if (arguments.on == "spark") how.spark = arguments.spark;
  return how;
}

arrow::Status CheckInputOptions(const RunArguments& arguments) {
  const RunInputs& input = arguments.input;
  return input.files.empty() || input.tables.empty()
             ? arrow::Status::OK()
             : arrow::Status::Invalid("--index says which files are read; leave out --input ",
                                      WithoutCredentials(input.files.front()));
}

arrow::Status CheckSparkOptions(const RunArguments& arguments) {
  const SparkSettings& spark = arguments.spark;
  if (arguments.on == "spark" || (spark.master.empty() && spark.conf.empty() && spark.python.empty())) {
    return arrow::Status::OK();
  }
  return arrow::Status::Invalid("--master, --conf and --python are for --on spark");
}

// A signal ends the plan, which leaves nothing, and then the program; in Python, signals are Python's.
arrow::Result<nlohmann::ordered_json> MakePlan(const Pipeline& pipeline, const RunArguments& arguments,
                                               bool takes_signals) {
  std::unique_ptr<SignalStop> stop;
  if (takes_signals) {
    ARROW_ASSIGN_OR_RAISE(stop, SignalStop::Make());
  }
  const StopScope scope(stop ? stop->token() : StopScope::Current());
  auto plan = PlanPipeline(pipeline, arguments.common, HowToRun(arguments), arguments.sample);
  stop.reset();
  if (takes_signals && plan.status().IsCancelled()) ::raise(arrow::internal::SignalFromStatus(plan.status()));
  return plan;
}

arrow::Result<int> RunPlan(const Pipeline& pipeline, const RunArguments& arguments, const Console& console) {
  ARROW_ASSIGN_OR_RAISE(const auto plan, MakePlan(pipeline, arguments, !console.hooks().error));
  const std::string& file = arguments.common.summary;
  if (!file.empty()) ARROW_RETURN_NOT_OK(WriteNamedFile(file, JsonText(plan, 2) + "\n"));
  if (console.hooks().summary) console.hooks().summary(plan);
  console.Print(PlanText(plan));
  return kExitDone;
}

// Whether the summary has a place: not in the output, and no file that is read.
arrow::Status CheckSummary(const RunArguments& arguments, const std::string& file, const Pipeline& pipeline) {
  if (arguments.common.summary.empty()) return arrow::Status::OK();
  Places written;
  written.folders = {{"--output", arguments.output}};
  written.files = {{"--summary", arguments.common.summary}};
  ARROW_RETURN_NOT_OK(CheckPlaces(written));
  Places read;
  read.files = written.files;
  read.inputs = {{"the pipeline", file}};
  for (size_t i = 0; i < pipeline.steps().size(); ++i) {
    const std::string& stage = pipeline.stage_of(i).place;
    for (const NamedPath& path : pipeline.prepared(i).paths) {
      read.inputs.push_back({stage + "." + path.key, path.text});
    }
  }
  return CheckPlaces(read);
}

arrow::Result<int> RunRun(RunArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(CheckInputOptions(*arguments));
  ARROW_RETURN_NOT_OK(CheckSparkOptions(*arguments));
  ARROW_ASSIGN_OR_RAISE(const auto properties, ParseProperties(arguments->properties));
  ARROW_ASSIGN_OR_RAISE(const std::string path, FindPipeline(*arguments));
  ARROW_ASSIGN_OR_RAISE(const Pipeline pipeline, Pipeline::Read(path, properties, arguments->input, arguments->output,
                                                                arguments->common.memory));
  // Workers of Spark have models and dictionaries of their own.
  if (arguments->on != "spark") ARROW_RETURN_NOT_OK(pipeline.CheckOptions());
  ARROW_RETURN_NOT_OK(CheckSummary(*arguments, path, pipeline));
  std::set<std::string> configurations = {path};
  for (const PipelineStep& step : pipeline.steps()) {
    const auto chain = step.values.find("config");
    if (chain == step.values.end()) continue;
    for (const std::string& name : ListOf(*chain)) configurations.insert(FindChainFile(name).string());
  }
  for (const std::string& configuration : configurations) WarnOfIncludes(console, configuration);
  if (arguments->plan) return RunPlan(pipeline, *arguments, console);
  const RunSteps how = HowToRun(*arguments);
  ARROW_ASSIGN_OR_RAISE(nlohmann::ordered_json summary, RunPipeline(pipeline, arguments->common, how, console));
  return FinishRun(arguments->common, console, std::move(summary), SummaryText);
}

Options<SparkSettings> SparkOptions() {
  return Options<SparkSettings>()
      .Text("master", &SparkSettings::master, "URL", "URL of the Spark master (default: from Spark's configuration)")
      .Frontends(kOnCommandLine)
      .Text("conf", &SparkSettings::conf, "NAME=VALUE", "Spark setting; may be repeated")
      .Frontends(kOnCommandLine)
      .Path("python", &SparkSettings::python, "PROGRAM",
            "Python interpreter with uzushio and PySpark (default: that of this installation, or python3)")
      .Frontends(kOnCommandLine);
}

// Those of extract that say what is read by an index, but for the tables, and the plan: a run has its own.
std::vector<OptionDeclaration> OptionsOfIndex() {
  std::vector<OptionDeclaration> options;
  for (OptionDeclaration option : DeclaredIndexSelection().declarations()) {
    if (option.name == "index" || option.name == "plan") continue;
    option.only_with = {"index"};
    options.push_back(std::move(option));
  }
  return options;
}

}  // namespace

Command RunCommand() {
  const auto options =
      Options<RunArguments>()
          .Path("output", &RunArguments::output, "DIR",
                "Folder, s3://, gs:// or abfs://, for the outputs of all stages")
          .Required()
          .Choice("preset", &RunArguments::preset,
                  {"recommended", "uzushio", "swallow", "swallow-v2", "fineweb2-ja", "llm-jp-v4", "clean"},
                  "Installed pipeline to run instead of a file")
          .InShortHelp()
          .Path("input", Within(&RunArguments::input, &RunInputs::files), "INPUT",
                "One or more files, folders or globs for ${input} in the pipeline")
          .Several()
          .InShortHelp()
          .Path("index", Within(&RunArguments::input, &RunInputs::tables), "TABLE",
                "Instead of --input: Parquet tables of a crawl's index")
          .Several()
          .InShortHelp()
          .Text("P", &RunArguments::properties, "NAME=VALUE",
                "Value for a ${name} in the pipeline and its chains; may be repeated")
          .InShortHelp()
          .Flag(
              "plan", &RunArguments::plan,
              "Do not run; show what is done, what would run and why, and estimate the time from a sample of the input")
          .InShortHelp()
          .Integer("at-once", &RunArguments::at_once, 1, kAny,
                   "Maximum number of steps that run in parallel (default: as many as threads and memory allow)")
          .WithoutDefault()
          .Size("sample", &RunArguments::sample, 1 << 10, kAny, "Size of the sample for --plan")
          .Choice("on", &RunArguments::on, {"here", "spark"},
                  "Where stages run; stages that Spark does not support run here")
          .InShortHelp()
          .Frontends(kOnCommandLine)
          .With(SparkOptions(), &RunArguments::spark)
          .Group("With --index: which of its records, as for extract (docs/crawl.md)")
          .HandedOn(OptionsOfIndex(), Within(&RunArguments::input, &RunInputs::selection))
          .Group("")
          .With(CommonOptions::Declared(), &RunArguments::common);
  Command command =
      WithExamples(MakeCommand("run", "Run the stages of a pipeline file that are not up to date",
                               {"PIPELINE", "HOCON file with the list `stages`", false, false}, options, &RunRun),
                   {"uzushio run --preset recommended --input pages.warc.gz --output corpus --plan",
                    "uzushio run --preset recommended --input pages.warc.gz --output corpus",
                    "uzushio run own.conf --output own --memory 1GiB"});
  for (OptionDeclaration& option : command.options) {
    if (option.name == "overwrite") option.help = "Replace outputs that were made of other inputs";
  }
  return NotOnSpark(std::move(command));
}

}  // namespace uzushio
