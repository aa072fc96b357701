
#include <fmt/format.h>

#include "base/memory_plan.h"
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

using FilterArguments = StageArguments<FilterConfig>;

arrow::Status Complete(FilterArguments* arguments) {
  FilterConfig& config = arguments->config;
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
  return WithExamples(WithMemory(MakeCommand("filter", "Filter documents with a chain, and write clean text",
                                             kDocumentsPositional, WithCommon(DeclaredFilter()), &Run),
                                 kFilterMemory),
                      {"uzushio filter documents --output clean --config chain.conf --stats statistics",
                       "uzushio filter documents --output texts --format jsonl.zst",
                       "uzushio filter articles.jsonl --output removed --config chain.conf --mode partitioned"});
}

}  // namespace uzushio
