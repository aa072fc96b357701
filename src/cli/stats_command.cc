#include "cli/commands_list.h"

#include <chrono>
#include <optional>

#include "base/size.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "datasets/dataset.h"
#include "stages/stats/stats.h"
#include "statistics/options.h"

namespace uzushio {
namespace {

// What both commands take.
struct StatisticsArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string output;
  std::string tmp;
  bool allow_incomplete = false;
  std::optional<int64_t> single_task_pairs;  // on Spark
  NearDuplicateOptions near_duplicates;
  StatisticsOutputOptions files;
};

const Options<StatisticsArguments>& StatisticsOptions() {
  static const Options<StatisticsArguments> options =
      Options<StatisticsArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.output; }, "DIR", "Folder to create")
          .Required()
          .Flag(
              "intermediate", [](auto& all) -> auto& { return all.files.intermediate; },
              "Keep all texts, and paragraphs that occur once, so that merging is exact")
          .InShortHelp()
          .Flag(
              "debug", [](auto& all) -> auto& { return all.files.debug; },
              "Write the groups with their texts as JSON Lines, the most frequent first")
          .Path(
              "pairs", [](auto& all) -> auto& { return all.files.pairs; }, "DIR",
              "Write every pair of near-duplicates to this folder")
          .InShortHelp()
          .With(DeclaredNearDuplicateOptions(), [](auto& all) -> auto& { return all.near_duplicates; })
          .Integer(
              "single-task-pairs", [](auto& all) -> auto& { return all.single_task_pairs; }, 1, kAny,
              "Maximum number of near-duplicate pairs that one task groups (default: by its memory)")
          .Frontends(kOnSpark)
          .Path(
              "tmp", [](auto& all) -> auto& { return all.tmp; }, "DIR",
              "Folder for temporary data (default: beside the output)")
          .Frontends(kOnCommandLine | kInPython)
          .Flag(
              "allow-incomplete", [](auto& all) -> auto& { return all.allow_incomplete; },
              "Also read outputs of unfinished runs")
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return options;
}

// Where the run, whose inputs are known, writes.
arrow::Status ChoosePlaces(const StatisticsArguments& arguments, MergeConfig* config) {
  Places places = PlacesOf(arguments.common, arguments.output, arguments.inputs, config->inputs);
  places.folders.push_back({"--pairs", arguments.files.pairs});
  places.tmp = arguments.tmp;
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
  ARROW_ASSIGN_OR_RAISE(config->tmp, ChooseTmp(arguments.tmp, arguments.output));
  return arrow::Status::OK();
}

// Sets what both configurations have.
arrow::Status SetCommon(const StatisticsArguments& arguments, MergeConfig* config) {
  config->output = arguments.output;
  config->files = arguments.files;
  config->allow_incomplete = arguments.allow_incomplete;
  config->overwrite = arguments.common.overwrite;
  config->near_duplicates = arguments.near_duplicates;
  config->threads = arguments.common.threads;
  ARROW_ASSIGN_OR_RAISE(config->memory, ChooseMemory(arguments.common, kLeastStatisticsMemory.With(config->threads)));
  return arrow::Status::OK();
}

template <typename RunStage>
arrow::Result<int> Run(const StatisticsArguments& arguments, const Console& console, const std::string& stage,
                       RunStage run_stage) {
  const auto start = std::chrono::steady_clock::now();
  StatsResult result;
  {
    ProgressBar bar(arguments.common, console);
    ARROW_ASSIGN_OR_RAISE(
        result, run_stage([&bar](const StatsProgress& progress) { bar.UpdateShare(progress.share, progress.step); }));
  }
  if (result.was_done) console.Info(arguments.output + ": was complete already; nothing to do");
  nlohmann::ordered_json json = result.counts;
  json["stage"] = stage;
  json["spilled_bytes"] = result.spilled_bytes;
  json["output"] = arguments.output;
  return FinishRun(arguments.common, console, start, std::move(json), SummaryText);
}

struct StatsArguments : StatisticsArguments {
  std::string text_column = "text";
  DocumentLimits limits;
};

arrow::Result<int> RunStatsCommand(StatsArguments* given, const Console& console) {
  const StatsArguments& arguments = *given;
  StatsConfig config;
  ARROW_RETURN_NOT_OK(SetCommon(arguments, &config));
  config.reader.column = arguments.text_column;
  config.limits = arguments.limits;
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments.inputs, kTextSuffixes));
  ARROW_RETURN_NOT_OK(ChoosePlaces(arguments, &config));
  return Run(arguments, console, "stats",
             [&config](const StatsProgressCallback& on_progress) { return RunStats(config, on_progress); });
}

arrow::Result<int> RunMergeCommand(StatisticsArguments* given, const Console& console) {
  const StatisticsArguments& arguments = *given;
  MergeConfig config;
  ARROW_RETURN_NOT_OK(SetCommon(arguments, &config));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveStatistics(arguments.inputs));
  ARROW_RETURN_NOT_OK(ChoosePlaces(arguments, &config));
  return Run(arguments, console, "merge",
             [&config](const StatsProgressCallback& on_progress) { return RunMerge(config, on_progress); });
}

}  // namespace

Command StatsCommand() {
  const auto options =
      Options<StatsArguments>()
          .Text(
              "text-column", [](auto& all) -> auto& { return all.text_column; }, "NAME", "Column or key of the texts")
          .With(DeclaredDocumentLimits(), [](auto& all) -> auto& { return all.limits; })
          .With(StatisticsOptions(), [](auto& all) -> StatisticsArguments& { return all; });
  return WithMemory(
      WithExamples(
          MakeCommand(
              "stats", "Count occurrences of paragraphs and their near-duplicates",
              {"INPUT", "Parquet, JSON Lines or plain text: files, folders or globs; paths or s3://", true, true},
              options, &RunStatsCommand),
          {"uzushio stats documents --output statistics", "uzushio stats documents --output part --intermediate",
           "uzushio stats articles.jsonl --output near --pairs pairs --memory 1GiB"}),
      kLeastStatisticsMemory);
}

Command MergeCommand() {
  return WithMemory(
      WithExamples(
          MakeCommand("merge", "Merge the statistics of parts, and build the frequency index",
                      {"INPUT", "Statistics of uzushio or of the original: folders, files or globs; paths or s3://",
                       true, true},
                      StatisticsOptions(), &RunMergeCommand),
          {"uzushio merge part statistics --output whole", "uzushio merge part --output months --intermediate"}),
      kLeastStatisticsMemory);
}

}  // namespace uzushio
