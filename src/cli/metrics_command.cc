#include "cli/commands_list.h"

#include <chrono>

#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/chain_warnings.h"
#include "cli/common.h"
#include "cli/documents_options.h"
#include "cli/summary.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "filters/preset.h"
#include "stages/filter/explain.h"
#include "stages/filter/metrics.h"
#include "stages/filter/metrics_chain.h"

namespace uzushio {
namespace {

struct MetricsArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  MetricsChain chain;
  std::vector<MissingFilter> missing;  // of the chain
  std::vector<std::string> properties;
  IndexArguments index;
  MetricsConfig config;
};

arrow::Status Complete(MetricsArguments* arguments) {
  MetricsConfig& config = arguments->config;
  config.overwrite = arguments->common.overwrite;
  ARROW_ASSIGN_OR_RAISE(arguments->chain.properties, ParseProperties(arguments->properties));
  ARROW_ASSIGN_OR_RAISE(config.chain, arguments->chain.Make(&arguments->missing));
  config.threads = arguments->common.threads;
  ARROW_ASSIGN_OR_RAISE(config.memory, config.chain->ChooseMemory(arguments->common, kMetricsMemory));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  Places places = PlacesOf(arguments->common, config.output, arguments->inputs, config.inputs);
  places.others.push_back({"--stats", config.statistics});
  const MetricsChain& chain = arguments->chain;
  places.others.push_back({"--config", chain.config.empty() ? "" : FindChainFile(chain.config).string()});
  places.others.push_back({"--tokenizer", chain.tokenizer});
  places.tmp = config.tmp;
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
  ARROW_ASSIGN_OR_RAISE(config.tmp, ChooseTmp(config.tmp, config.output));
  return arrow::Status::OK();
}

arrow::Result<int> RunMetricsCommand(MetricsArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(Complete(arguments));
  WarnOfIncludes(console, FindChainFile(arguments->chain.config).string());
  WarnWithoutStatistics(console, *arguments->config.chain, arguments->config.statistics);
  MetricsResult result;
  {
    ProgressBar bar(arguments->common, console);
    ARROW_ASSIGN_OR_RAISE(result,
                          RunMetrics(arguments->config, [&bar](double share) { bar.UpdateShare(share, "measuring"); }));
  }
  if (result.was_done) console.Info(arguments->config.output + ": was complete already; nothing to do");
  nlohmann::ordered_json json = {{"stage", "metrics"},
                                 {"documents", result.documents},
                                 {"quarantined", result.quarantined.counts()},
                                 {"metrics", nlohmann::ordered_json::object()},
                                 {"left_out", LeftOutOfMetrics(arguments->missing)},
                                 {"output", arguments->config.output}};
  for (const MetricSummary& metric : result.metrics) json["metrics"][metric.name] = metric.quantiles;
  return FinishRun(arguments->common, console, start, std::move(json), SummaryText);
}

struct ExplainArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // the document
  std::string folder;
};

arrow::Result<int> RunExplain(ExplainArguments* arguments, const Console& console) {
  ARROW_ASSIGN_OR_RAISE(const std::string text, ExplainDocument(arguments->folder, arguments->inputs.front(),
                                                                MachineThreads(), DefaultMemory()));
  console.Print(text);
  return kExitDone;
}

}  // namespace

Command MetricsCommand() {
  const auto options =
      Options<MetricsArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.config.output; }, "DIR", "Folder to create")
          .Required()
          .Path(
              "config", [](auto& all) -> auto& { return all.chain.config; }, "FILE",
              "HOCON file with the list `filters`, or an installed one: recommended, uzushio, swallow, fineweb2-ja")
          .InShortHelp()
          .Text(
              "metric", [](auto& all) -> auto& { return all.chain.metrics; }, "NAME",
              "Metric to compute, or the name of its filter, with default parameters; may be repeated")
          .InShortHelp()
          .Path(
              "tokenizer", [](auto& all) -> auto& { return all.chain.tokenizer; }, "FILE",
              "Hugging Face tokenizer.json of a model, for --metric Tokens")
          .Text(
              "P", [](auto& all) -> auto& { return all.properties; }, "NAME=VALUE",
              "Value for a ${name} in the configuration; may be repeated")
          .Path(
              "stats", [](auto& all) -> auto& { return all.config.statistics; }, "DIR",
              "Paragraph statistics (default: each paragraph occurs once)")
          .InShortHelp()
          .With(IndexOptions(), [](auto& all) -> auto& { return all.index; })
          .Text(
              "sorted-by", [](auto& all) -> auto& { return all.config.sorted_by; }, "NAME",
              "Also write the documents, sorted by this metric")
          .InShortHelp()
          .Size(
              "shard-size", [](auto& all) -> auto& { return all.config.shard_bytes; }, 1, kAny,
              "Size after which a new file of documents begins")
          .Frontends(kOnCommandLine | kInPython)
          .Path(
              "tmp", [](auto& all) -> auto& { return all.config.tmp; }, "DIR",
              "Folder for temporary data (default: beside the output)")
          .Frontends(kOnCommandLine | kInPython)
          .With(ColumnOptions(), [](auto& all) -> auto& { return all.config.kernel; })
          .Flag(
              "allow-incomplete", [](auto& all) -> auto& { return all.config.allow_incomplete; },
              "Also read outputs of unfinished runs")
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return WithMemory(
      WithExamples(MakeCommand("metrics", "Compute the metrics of a chain, to choose thresholds", kDocumentsPositional,
                               options, &RunMetricsCommand),
                   {"uzushio metrics documents --output metrics --config chain.conf --stats statistics",
                    "uzushio metrics documents --output hiragana --metric HiraganaRatio --sorted-by HiraganaRatio",
                    "uzushio metrics clean --output tokens --metric Tokens --tokenizer tokenizer.json"}),
      kMetricsMemory);
}

Command ExplainCommand() {
  const auto options = Options<ExplainArguments>()
                           .Path(
                               "in", [](auto& all) -> auto& { return all.folder; }, "DIR", "Output of uzushio filter")
                           .Required()
                           .Frontends(kOnCommandLine | kInPython);
  return WithExamples(MakeCommand("explain", "Explain why a filter run kept or removed a document",
                                  {"DOC_ID", "Id of the document", true, false, false}, options, &RunExplain),
                      {"uzushio explain article-1 --in removed", "uzushio explain article-2 --in removed"});
}

}  // namespace uzushio
