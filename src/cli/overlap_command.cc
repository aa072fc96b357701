#include "cli/commands_list.h"

#include <chrono>

#include "base/memory_plan.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "stages/overlap/overlap.h"

namespace uzushio {
namespace {

struct OverlapArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  OverlapConfig config;
};

arrow::Status Complete(OverlapArguments* arguments, const Console& console) {
  OverlapConfig& config = arguments->config;
  config.overwrite = arguments->common.overwrite;
  config.threads = arguments->common.threads;
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(arguments->common, kOverlapMemory.With(config.threads)));
  ARROW_RETURN_NOT_OK(CheckOverlapNames(arguments->inputs));
  std::vector<InputFile> files;
  for (const std::string& argument : arguments->inputs) {
    ARROW_ASSIGN_OR_RAISE(OverlapDataset dataset, FindOverlapDataset(argument, config.text_column));
    files.insert(files.end(), dataset.files.begin(), dataset.files.end());
    if (!dataset.is_whole) {
      console.Warning(dataset.name + ": these statistics lack paragraphs that occur once, which are not compared; " +
                      "make them by uzushio stats --intermediate");
    }
    config.datasets.push_back(std::move(dataset));
  }
  Places places = PlacesOf(arguments->common, config.output, arguments->inputs, files);
  places.tmp = config.tmp;
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
  ARROW_ASSIGN_OR_RAISE(config.tmp, ChooseTmp(config.tmp, config.output));
  return arrow::Status::OK();
}

arrow::Result<int> Run(OverlapArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(Complete(arguments, console));
  const OverlapConfig& config = arguments->config;
  OverlapResult result;
  {
    ProgressBar bar(arguments->common, console);
    ARROW_ASSIGN_OR_RAISE(
        result, RunOverlap(config, [&bar](double share, const std::string& step) { bar.UpdateShare(share, step); }));
  }
  if (result.was_done) console.Info(config.output + ": was complete already; nothing to do");
  nlohmann::ordered_json json = result.counts;
  json["stage"] = "overlap";
  json["spilled_bytes"] = result.spilled_bytes;
  json["output"] = config.output;
  return FinishRun(arguments->common, console, start, std::move(json), SummaryText);
}

}  // namespace

Command OverlapCommand() {
  const auto options =
      Options<OverlapArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.config.output; }, "DIR", "Folder to create")
          .Required()
          .Text(
              "text-column", [](auto& all) -> auto& { return all.config.text_column; }, "NAME",
              "Column or key of the texts")
          .InShortHelp()
          .Text(
              "url-column", [](auto& all) -> auto& { return all.config.url_column; }, "NAME",
              "Column or key of the URLs; datasets without it are not compared by URLs")
          .InShortHelp()
          .Path(
              "tmp", [](auto& all) -> auto& { return all.config.tmp; }, "DIR",
              "Folder for temporary data (default: beside the output)")
          .Flag(
              "allow-incomplete", [](auto& all) -> auto& { return all.config.allow_incomplete; },
              "Also read outputs of unfinished runs")
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return WithMemory(
      NotOnSpark(WithExamples(
          MakeCommand("overlap", "Count the URLs, documents and paragraphs that datasets share",
                      {"DATASET",
                       "Two or more datasets: documents in Parquet, JSON Lines or plain text, or statistics, whose "
                       "paragraphs are compared; each a file, a folder or a glob; paths or s3://",
                       true, true},
                      options, &Run),
          {"uzushio overlap documents articles.jsonl --output overlap",
           "uzushio overlap documents part wiki.txt --output paragraphs"})),
      kOverlapMemory);
}

}  // namespace uzushio
