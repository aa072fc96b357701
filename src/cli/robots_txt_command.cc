#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "stages/extract/robots_table.h"

namespace uzushio {
namespace {

using RobotsTxtArguments = StageArguments<RobotsTxtConfig>;

arrow::Result<int> RunRobotsTxtCommand(RobotsTxtArguments* arguments, const Console& console) {
  RobotsTxtConfig& config = arguments->config;
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(config, kPartitionsMemory.With(config.threads)));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kWarcSuffixes));
  ARROW_RETURN_NOT_OK(ChooseStagePlaces(arguments->common, arguments->inputs, &config));
  config.allow_unreadable = arguments->common.max_bad.has_value();
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunRobotsTxt(config, [bar](const ExtractProgress& progress) {
          bar->Update(progress.bytes_done, progress.bytes_total, FormatCount(progress.documents) + " files");
        });
      },
      [](const RobotsTxtResult& result) { return CountsOf("robots-txt", result); });
}

}  // namespace

Command RobotsTxtCommand() {
  return WithMemory(
      NotOnSpark(WithExamples(
          MakeCommand("robots-txt", "Write what robots.txt files in archives allow, for OptOut",
                      {"INPUT", "WARC or ARC files, folders or globs; paths, s3://, gs:// or abfs:// URIs", true, true},
                      WithCommon(DeclaredRobotsTxt()), &RunRobotsTxtCommand),
          {"uzushio robots-txt crawl/robotstxt/*.warc.gz --output robots",
           "uzushio robots-txt crawl/robotstxt pages.warc.gz --output all-robots --memory 1GiB"})),
      kPartitionsMemory);
}

}  // namespace uzushio
