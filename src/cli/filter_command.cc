
#include <fmt/format.h>

#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/chain_warnings.h"
#include "cli/documents_options.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "filters/chain.h"
#include "filters/preset.h"
#include "stages/filter/filter.h"

namespace uzushio {
namespace {

struct FilterGiven : FilterConfig {
  std::string chain_file;
  std::vector<std::string> properties;
  IndexArguments index;
};
using FilterArguments = StageArguments<FilterGiven>;

arrow::Status Complete(FilterArguments* arguments) {
  FilterGiven& config = arguments->config;
  // What is wrong with the chain is said before inputs are looked for.
  ARROW_ASSIGN_OR_RAISE(config.chain, ReadChain(config.chain_file, config.properties, config.memory));
  ARROW_ASSIGN_OR_RAISE(config.memory, config.chain->ChooseMemory(config, kFilterMemory));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  Places more;
  more.others = {{"--stats", config.statistics}, {"--metrics", config.metrics}, PlaceOfChain(config.chain_file)};
  return ChooseStagePlaces(arguments->common, arguments->inputs, &config, more);
}

nlohmann::ordered_json SummaryJson(const FilterResult& result) {
  nlohmann::ordered_json removed = nlohmann::ordered_json::array();
  for (size_t i = 0; i < result.reasons.size(); ++i) {
    nlohmann::ordered_json item = ToJson(result.totals.removed[i]);
    item["filter"] = result.step_names[result.step_of_reason[i]];
    item["reason"] = result.reasons[i];
    item["step"] = result.step_of_reason[i];
    removed.push_back(std::move(item));
  }
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (size_t i = 0; i < result.step_names.size(); ++i) {
    steps.push_back({{"filter", result.step_names[i]}, {"seconds", result.totals.seconds[i]}});
  }
  return {{"stage", "filter"},
          {"input", ToJson(result.totals.input)},
          {"passed", ToJson(result.totals.passed)},
          {"empty", ToJson(result.totals.empty)},
          {"removed", removed},
          {"steps", steps},
          {"quarantined", result.quarantined.counts()},
          {"files", result.files},
          {"bytes_out", result.bytes_out}};
}

arrow::Result<int> Run(FilterArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Complete(arguments));
  WarnOfIncludes(console, FindChainFile(arguments->config.chain_file).string());
  WarnWithoutStatistics(console, *arguments->config.chain, arguments->config.statistics);
  WarnOfFilters(console, *arguments->config.chain);
  return RunFilterCommand(arguments->common, console, arguments->config);
}

}  // namespace

arrow::Result<int> RunFilterCommand(const CommonOptions& common, const Console& console, const FilterConfig& config) {
  return RunStage(
      common, console, config,
      [&config](ProgressBar* bar) {
        return RunFilter(config, [bar](double share) { bar->UpdateShare(share, "filtering"); });
      },
      SummaryJson);
}

Command FilterCommand() {
  const auto options =
      Options<FilterGiven>()
          .With(DeclaredOutputFolder())
          .Required()
          .Path("config", &FilterGiven::chain_file, "FILE",
                "HOCON file with the list `filters`, or an installed one: recommended, uzushio, swallow, swallow-v2, "
                "fineweb2-ja, llm-jp-v4 (default: none; only converts)")
          .InShortHelp()
          .Text("P", &FilterGiven::properties, "NAME=VALUE",
                "Value for a ${name} in the configuration; may be repeated")
          .OnlyWith({"config"})
          .Path("stats", &FilterGiven::statistics, "DIR",
                "Paragraph statistics, as a folder, s3:// or gs:// (default: each paragraph occurs once)")
          .InShortHelp()
          .With(IndexOptions(), &FilterGiven::index)
          .Path("metrics", &FilterGiven::metrics, "DIR",
                "Metrics of these documents, for the shares of Percentile and Ensemble; on Spark for nothing else, "
                "otherwise also reused")
          .OnlyWith({"config"})
          .Choice("mode", Within(&FilterGiven::kernel, &FilterKernelOptions::partitioned),
                  Choices<bool>{{"passed", false}, {"partitioned", true}},
                  "Write passed documents, or all, separated by the filter that removed them")
          .InShortHelp()
          .Choice("format", &FilterGiven::format, kShardFormats, "Format of the output; jsonl is jsonl.gz")
          .InShortHelp()
          .Flag("keep-markup", Within(&FilterGiven::kernel, &FilterKernelOptions::keep_markup),
                "Keep paths and link marks in the text")
          .Size("shard-size", &FilterGiven::shard_bytes, 1, kAny, "Size after which a new file begins")
          .Frontends(kOnCommandLine | kInPython)
          .With(ColumnOptions(), &FilterGiven::kernel)
          .With(DeclaredTmp(" of DeduplicateElement"))
          .With(DeclaredAllowIncomplete());
  return WithExamples(WithMemory(MakeCommand("filter", "Filter documents with a chain, and write clean text",
                                             kDocumentsPositional, WithCommon(options), &Run),
                                 kFilterMemory),
                      {"uzushio filter documents --output clean --config chain.conf --stats statistics",
                       "uzushio filter documents --output texts --format jsonl.zst",
                       "uzushio filter articles.jsonl --output removed --config chain.conf --mode partitioned"});
}

}  // namespace uzushio
