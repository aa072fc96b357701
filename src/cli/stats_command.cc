#include "cli/stats_command.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/size.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "stages/stats/stats.h"

namespace uzushio {
namespace {

// What both commands take.
struct StatisticsArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string output;
  std::string tmp;
  std::string candidates = "buckets";
  std::string groups = "pivot";
  int rotations = 5;
  int window = 64;
  bool allow_incomplete = false;
  StatisticsOutputOptions files;

  void AddTo(CLI::App* command) {
    command->add_option("--output", output, "Folder to create")->required()->type_name("DIR");
    command->add_flag("--intermediate", files.intermediate,
                      "Keep paragraphs seen once and all texts, so that merging loses nothing");
    command->add_flag("--debug", files.debug, "Write the groups with their texts, most frequent first, as JSON Lines");
    command->add_option("--pairs", files.pairs, "Write every pair of near-duplicates to this folder")->type_name("DIR");
    command->add_option("--candidates", candidates, "How pairs are found: buckets of MinHash, or SimHash windows")
        ->check(CLI::IsMember({"buckets", "simhash"}))
        ->capture_default_str();
    command->add_option("--rotations", rotations, "Sortings of the SimHash signatures")
        ->check(CLI::Range(1, 64))
        ->type_name("N")
        ->capture_default_str();
    command->add_option("--window", window, "Ranks that a SimHash signature is paired with")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N")
        ->capture_default_str();
    command->add_option("--groups", groups, "How near-duplicates are grouped; components chain, for comparison")
        ->check(CLI::IsMember({"pivot", "components"}))
        ->capture_default_str();
    command->add_option("--tmp", tmp, "Folder for temporary data (default: beside the output)")->type_name("DIR");
    command->add_flag("--allow-incomplete", allow_incomplete, "Read outputs of unfinished runs too");
    common.AddTo(command);
  }
};

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
  config->near_duplicates.candidates =
      arguments.candidates == "simhash" ? CandidateMethod::kSimHash : CandidateMethod::kBuckets;
  config->near_duplicates.groups = arguments.groups == "components" ? GroupMethod::kComponents : GroupMethod::kPivot;
  config->near_duplicates.rotations = arguments.rotations;
  config->near_duplicates.window = arguments.window;
  config->threads = arguments.common.threads;
  ARROW_ASSIGN_OR_RAISE(config->memory, ChooseMemory(arguments.common.memory, config->threads,
                                                     kLeastStatisticsMemory.With(config->threads)));
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
  std::string max_document_bytes;
  int64_t max_paragraphs = 0;
};

arrow::Result<int> RunStatsCommand(const StatsArguments& arguments, const Console& console) {
  StatsConfig config;
  ARROW_RETURN_NOT_OK(SetCommon(arguments, &config));
  config.reader.column = arguments.text_column;
  config.limits.max_paragraphs = arguments.max_paragraphs;
  if (!arguments.max_document_bytes.empty()) {
    ARROW_ASSIGN_OR_RAISE(config.limits.max_bytes, ParseSize(arguments.max_document_bytes));
  }
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments.inputs, kTextSuffixes));
  ARROW_RETURN_NOT_OK(ChoosePlaces(arguments, &config));
  return Run(arguments, console, "stats",
             [&config](const StatsProgressCallback& on_progress) { return RunStats(config, on_progress); });
}

arrow::Result<int> RunMergeCommand(const StatisticsArguments& arguments, const Console& console) {
  MergeConfig config;
  ARROW_RETURN_NOT_OK(SetCommon(arguments, &config));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveStatistics(arguments.inputs));
  ARROW_RETURN_NOT_OK(ChoosePlaces(arguments, &config));
  return Run(arguments, console, "merge",
             [&config](const StatsProgressCallback& on_progress) { return RunMerge(config, on_progress); });
}

}  // namespace

void AddStatsCommand(CLI::App* app, CommandRun* run) {
  auto arguments = std::make_shared<StatsArguments>();
  CLI::App* command =
      app->add_subcommand("stats", "Documents to statistics: how often each paragraph occurs, or nearly");
  command
      ->add_option("INPUT", arguments->inputs,
                   "Parquet, JSON Lines or plain text: files, folders or globs; paths or s3://")
      ->required();
  command->add_option("--text-column", arguments->text_column, "Column, or key, of the texts")
      ->check(IsText())
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--max-document-bytes", arguments->max_document_bytes, "Leave out longer documents (default: none)")
      ->type_name("SIZE");
  command->add_option("--max-paragraphs", arguments->max_paragraphs, "Leave out documents of more (default: none)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  arguments->AddTo(command);
  command->callback([arguments, run] {
    const Console console(arguments->common, run->hooks);
    const auto result = RunStatsCommand(*arguments, console);
    run->exit_code = result.ok() ? *result : Report(console, result.status());
  });
}

void AddMergeCommand(CLI::App* app, CommandRun* run) {
  auto arguments = std::make_shared<StatisticsArguments>();
  CLI::App* command =
      app->add_subcommand("merge", "Statistics of parts to those of the whole, with the frequency index");
  command
      ->add_option("INPUT", arguments->inputs,
                   "Statistics, ours or the original's: folders, files or globs; paths or s3://")
      ->required();
  arguments->AddTo(command);
  command->callback([arguments, run] {
    const Console console(arguments->common, run->hooks);
    const auto result = RunMergeCommand(*arguments, console);
    run->exit_code = result.ok() ? *result : Report(console, result.status());
  });
}

}  // namespace uzushio
