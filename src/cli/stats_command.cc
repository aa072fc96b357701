#include "base/size.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "stages/stats/stats.h"
#include "statistics/options.h"

namespace uzushio {
namespace {

// Sets what is settled before the inputs are looked for.
arrow::Status SettleMemory(MergeConfig* config) {
  ARROW_ASSIGN_OR_RAISE(config->memory, ChooseMemory(*config, kLeastStatisticsMemory.With(config->threads)));
  return arrow::Status::OK();
}

// Runs a stage whose inputs are known.
template <typename Config>
arrow::Result<int> Run(StageArguments<Config>* arguments, const Console& console, const std::string& stage,
                       arrow::Result<StatsResult> (*run_stage)(const Config&, const StatsProgressCallback&)) {
  Config& config = arguments->config;
  Places more;
  more.folders = {{"--pairs", config.files.pairs}};
  ARROW_RETURN_NOT_OK(ChooseStagePlaces(arguments->common, arguments->inputs, &config, more));
  return RunStage(
      arguments->common, console, config,
      [&](ProgressBar* bar) {
        return run_stage(config,
                         [bar](const StatsProgress& progress) { bar->UpdateShare(progress.share, progress.step); });
      },
      [&stage](const StatsResult& result) { return CountsOf(stage, result); });
}

arrow::Result<int> RunStatsCommand(StageArguments<StatsConfig>* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(SettleMemory(&arguments->config));
  ARROW_ASSIGN_OR_RAISE(arguments->config.inputs, ResolveInputs(arguments->inputs, kTextSuffixes));
  return Run(arguments, console, "stats", &RunStats);
}

arrow::Result<int> RunMergeCommand(StageArguments<MergeConfig>* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(SettleMemory(&arguments->config));
  ARROW_ASSIGN_OR_RAISE(arguments->config.inputs, ResolveStatistics(arguments->inputs));
  return Run(arguments, console, "merge", &RunMerge);
}

}  // namespace

Command StatsCommand() {
  return WithMemory(
      WithExamples(
          MakeCommand(
              "stats", "Count occurrences of paragraphs and their near-duplicates",
              {"INPUT", "Parquet, JSON Lines or plain text: files, folders or globs; paths, s3://, gs:// or abfs://",
               true, true},
              WithCommon(DeclaredStats()), &RunStatsCommand),
          {"uzushio stats documents --output statistics", "uzushio stats documents --output part --intermediate",
           "uzushio stats articles.jsonl --output near --pairs pairs --memory 1GiB"}),
      kLeastStatisticsMemory);
}

Command MergeCommand() {
  return WithMemory(
      WithExamples(
          MakeCommand(
              "merge", "Merge the statistics of parts, and build the frequency index",
              {"INPUT",
               "Statistics of uzushio or of the original: folders, files or globs; paths, s3://, gs:// or abfs://",
               true, true},
              WithCommon(DeclaredMerge()), &RunMergeCommand),
          {"uzushio merge part statistics --output whole", "uzushio merge part --output months --intermediate"}),
      kLeastStatisticsMemory);
}

}  // namespace uzushio
