
#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "stages/overlap/overlap.h"

namespace uzushio {
namespace {

using OverlapArguments = StageArguments<OverlapConfig>;

arrow::Status Complete(OverlapArguments* arguments, const Console& console) {
  OverlapConfig& config = arguments->config;
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(config, kPartitionsMemory.With(config.threads)));
  ARROW_RETURN_NOT_OK(CheckOverlapNames(arguments->inputs));
  for (const std::string& argument : arguments->inputs) {
    ARROW_ASSIGN_OR_RAISE(OverlapDataset dataset, FindOverlapDataset(argument, config.text_column));
    config.inputs.insert(config.inputs.end(), dataset.files.begin(), dataset.files.end());
    if (!dataset.is_whole) {
      console.Warning(dataset.name + ": these statistics lack paragraphs that occur once, which are not compared; " +
                      "make them by uzushio stats --intermediate");
    }
    config.datasets.push_back(std::move(dataset));
  }
  return ChooseStagePlaces(arguments->common, arguments->inputs, &config);
}

arrow::Result<int> Run(OverlapArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Complete(arguments, console));
  const OverlapConfig& config = arguments->config;
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunOverlap(config, [bar](double share, const std::string& step) { bar->UpdateShare(share, step); });
      },
      [](const OverlapResult& result) { return CountsOf("overlap", result); });
}

}  // namespace

Command OverlapCommand() {
  return WithMemory(
      NotOnSpark(WithExamples(
          MakeCommand("overlap", "Count the URLs, documents and paragraphs that datasets share",
                      {"DATASET",
                       "Two or more datasets: documents in Parquet, JSON Lines or plain text, or statistics, whose "
                       "paragraphs are compared; each a file, a folder or a glob; paths, s3://, gs:// or abfs://",
                       true, true},
                      WithCommon(DeclaredOverlap()), &Run),
          {"uzushio overlap documents articles.jsonl --output overlap",
           "uzushio overlap documents part wiki.txt --output paragraphs"})),
      kPartitionsMemory);
}

}  // namespace uzushio
