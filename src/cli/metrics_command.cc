#include "base/memory_plan.h"
#include "cli/chain_warnings.h"
#include "cli/documents_options.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "filters/preset.h"
#include "stages/filter/explain.h"
#include "stages/filter/metrics.h"

namespace uzushio {
namespace {

using MetricsArguments = StageArguments<MetricsConfig>;

arrow::Status Complete(MetricsArguments* arguments) {
  MetricsConfig& config = arguments->config;
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
  const MetricsConfig& config = arguments->config;
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

}  // namespace

Command MetricsCommand() {
  return WithMemory(
      WithExamples(MakeCommand("metrics", "Compute the metrics of a chain, to choose thresholds", kDocumentsPositional,
                               WithCommon(DeclaredMetrics()), &RunMetricsCommand),
                   {"uzushio metrics documents --output metrics --config chain.conf --stats statistics",
                    "uzushio metrics documents --output hiragana --metric HiraganaRatio --sorted-by HiraganaRatio",
                    "uzushio metrics clean --output tokens --metric Tokens --tokenizer tokenizer.json"}),
      kMetricsMemory);
}

Command ExplainCommand() {
  const auto options = Options<ExplainArguments>()
                           .Path("in", &ExplainArguments::folder, "DIR",
                                 "Output of uzushio filter, as a folder, s3://, gs:// or abfs://")
                           .Required()
                           .Frontends(kOnCommandLine | kInPython);
  return WithExamples(MakeCommand("explain", "Explain why a filter run kept or removed a document",
                                  {"DOC_ID", "Id of the document", true, false, false}, options, &RunExplain),
                      {"uzushio explain article-1 --in removed", "uzushio explain article-2 --in removed"});
}

}  // namespace uzushio
