#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/chain_warnings.h"
#include "cli/documents_options.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "filters/preset.h"
#include "stages/filter/explain.h"
#include "stages/filter/metrics.h"
#include "stages/filter/metrics_chain.h"

namespace uzushio {
namespace {

struct MetricsGiven : MetricsConfig {
  MetricsChain wanted;
  std::vector<MissingFilter> missing;  // of the chain
  std::vector<std::string> properties;
  IndexArguments index;
};
using MetricsArguments = StageArguments<MetricsGiven>;

arrow::Status Complete(MetricsArguments* arguments) {
  MetricsGiven& config = arguments->config;
  ARROW_ASSIGN_OR_RAISE(config.wanted.properties, ParseProperties(config.properties));
  ARROW_ASSIGN_OR_RAISE(config.chain, config.wanted.Make(&config.missing, config.memory));
  ARROW_ASSIGN_OR_RAISE(config.memory, config.chain->ChooseMemory(config, kMetricsMemory));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  Places more;
  more.others = {
      {"--stats", config.statistics}, PlaceOfChain(config.wanted.config), {"--tokenizer", config.wanted.tokenizer}};
  return ChooseStagePlaces(arguments->common, arguments->inputs, &config, more);
}

arrow::Result<int> RunMetricsCommand(MetricsArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Complete(arguments));
  const MetricsGiven& config = arguments->config;
  WarnOfIncludes(console, FindChainFile(config.wanted.config).string());
  WarnWithoutStatistics(console, *config.chain, config.statistics);
  WarnOfFilters(console, *config.chain);
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunMetrics(config, [bar](double share) { bar->UpdateShare(share, "measuring"); });
      },
      [&config](const MetricsResult& result) {
        nlohmann::ordered_json json = {{"stage", "metrics"},
                                       {"documents", result.documents},
                                       {"quarantined", result.quarantined.counts()},
                                       {"metrics", nlohmann::ordered_json::object()},
                                       {"left_out", LeftOutOfMetrics(config.missing)}};
        for (const MetricSummary& metric : result.metrics) json["metrics"][metric.name] = metric.quantiles;
        return json;
      });
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

Options<MetricsChain> ChainOptions() {
  return Options<MetricsChain>()
      .Path("config", &MetricsChain::config, "FILE",
            "HOCON file with the list `filters`, or an installed one: recommended, uzushio, swallow, swallow-v2, "
            "fineweb2-ja, llm-jp-v4")
      .InShortHelp()
      .Text("metric", &MetricsChain::metrics, "NAME",
            "Metric to compute, or the name of its filter, with default parameters; may be repeated")
      .InShortHelp()
      .Path("tokenizer", &MetricsChain::tokenizer, "FILE",
            "Hugging Face tokenizer.json of a model, for --metric Tokens");
}

}  // namespace

Command MetricsCommand() {
  const auto options =
      Options<MetricsGiven>()
          .With(DeclaredOutputFolder())
          .Required()
          .With(ChainOptions(), &MetricsGiven::wanted)
          .Text("P", &MetricsGiven::properties, "NAME=VALUE",
                "Value for a ${name} in the configuration; may be repeated")
          .OnlyWith({"config"})
          .Path("stats", &MetricsGiven::statistics, "DIR",
                "Paragraph statistics, as a folder, s3:// or gs:// (default: each paragraph occurs once)")
          .InShortHelp()
          .With(IndexOptions(), &MetricsGiven::index)
          .Text("sorted-by", &MetricsGiven::sorted_by, "NAME", "Also write the documents, sorted by this metric")
          .InShortHelp()
          .Size("shard-size", &MetricsGiven::shard_bytes, 1, kAny, "Size after which a new file of documents begins")
          .OnlyWith({"sorted-by"})
          .Frontends(kOnCommandLine | kInPython)
          .With(DeclaredTmp())
          .With(ColumnOptions(), &MetricsGiven::kernel)
          .With(DeclaredAllowIncomplete());
  return WithMemory(
      WithExamples(MakeCommand("metrics", "Compute the metrics of a chain, to choose thresholds", kDocumentsPositional,
                               WithCommon(options), &RunMetricsCommand),
                   {"uzushio metrics documents --output metrics --config chain.conf --stats statistics",
                    "uzushio metrics documents --output hiragana --metric HiraganaRatio --sorted-by HiraganaRatio",
                    "uzushio metrics clean --output tokens --metric Tokens --tokenizer tokenizer.json"}),
      kMetricsMemory);
}

Command ExplainCommand() {
  const auto options =
      Options<ExplainArguments>()
          .Path("in", &ExplainArguments::folder, "DIR", "Output of uzushio filter, as a folder, s3:// or gs://")
          .Required()
          .Frontends(kOnCommandLine | kInPython);
  return WithExamples(MakeCommand("explain", "Explain why a filter run kept or removed a document",
                                  {"DOC_ID", "Id of the document", true, false, false}, options, &RunExplain),
                      {"uzushio explain article-1 --in removed", "uzushio explain article-2 --in removed"});
}

}  // namespace uzushio
