#include "cli/commands_list.h"

#include <fmt/format.h>

#include <chrono>

#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/chain_warnings.h"
#include "cli/common.h"
#include "cli/documents_options.h"
#include "cli/summary.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "filters/chain.h"
#include "filters/preset.h"
#include "stages/filter/filter.h"

namespace uzushio {
namespace {

struct FilterArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string output;
  std::string config;
  std::vector<std::string> properties;
  std::string statistics;
  std::string metrics;
  ShardFormat format = ShardFormat::kParquet;
  int64_t shard_bytes = int64_t{1} << 30;
  bool allow_incomplete = false;
  FilterKernelOptions kernel;
  IndexArguments index;
  std::string tmp;
};

arrow::Result<FilterConfig> MakeConfig(const FilterArguments& arguments) {
  FilterConfig config;
  config.output = arguments.output;
  config.statistics = arguments.statistics;
  config.metrics = arguments.metrics;
  config.kernel = arguments.kernel;
  config.format = arguments.format;
  config.shard_bytes = arguments.shard_bytes;
  config.allow_incomplete = arguments.allow_incomplete;
  config.overwrite = arguments.common.overwrite;
  ARROW_ASSIGN_OR_RAISE(const auto properties, ParseProperties(arguments.properties));
  config.threads = arguments.common.threads;
  // What is wrong with the chain is said before inputs are looked for.
  ARROW_ASSIGN_OR_RAISE(config.chain, arguments.config.empty() ? FilterChain::Make(nlohmann::json::array())
                                                               : FilterChain::Read(arguments.config, properties));
  ARROW_ASSIGN_OR_RAISE(config.memory, config.chain->ChooseMemory(arguments.common, kFilterMemory));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments.inputs, kDocumentSuffixes));
  Places places = PlacesOf(arguments.common, arguments.output, arguments.inputs, config.inputs);
  places.others.push_back({"--stats", arguments.statistics});
  places.others.push_back({"--metrics", arguments.metrics});
  places.others.push_back({"--config", arguments.config.empty() ? "" : FindChainFile(arguments.config).string()});
  places.tmp = arguments.tmp;
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
  ARROW_ASSIGN_OR_RAISE(config.tmp, ChooseTmp(arguments.tmp, arguments.output));
  return config;
}

nlohmann::ordered_json SummaryJson(const FilterResult& result, const std::string& output) {
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
          {"bytes_out", result.bytes_out},
          {"output", output}};
}

arrow::Result<int> Run(FilterArguments* arguments, const Console& console) {
  ARROW_ASSIGN_OR_RAISE(const FilterConfig config, MakeConfig(*arguments));
  WarnOfIncludes(console, FindChainFile(arguments->config).string());
  WarnWithoutStatistics(console, *config.chain, config.statistics);
  return RunFilterCommand(arguments->common, console, config);
}

}  // namespace

arrow::Result<int> RunFilterCommand(const CommonOptions& common, const Console& console, const FilterConfig& config) {
  const auto start = std::chrono::steady_clock::now();
  FilterResult result;
  {
    ProgressBar bar(common, console);
    ARROW_ASSIGN_OR_RAISE(result, RunFilter(config, [&bar](double share) { bar.UpdateShare(share, "filtering"); }));
  }
  if (result.was_done) console.Info(config.output + ": was complete already; nothing to do");
  return FinishRun(common, console, start, SummaryJson(result, config.output), SummaryText);
}

Command FilterCommand() {
  const auto options =
      Options<FilterArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.output; }, "DIR", "Folder to create")
          .Required()
          .Path(
              "config", [](auto& all) -> auto& { return all.config; }, "FILE",
              "HOCON file with the list `filters`, or an installed one: recommended, uzushio, swallow, fineweb2-ja "
              "(default: none; only converts)")
          .InShortHelp()
          .Text(
              "P", [](auto& all) -> auto& { return all.properties; }, "NAME=VALUE",
              "Value for a ${name} in the configuration; may be repeated")
          .Path(
              "stats", [](auto& all) -> auto& { return all.statistics; }, "DIR",
              "Paragraph statistics (default: each paragraph occurs once)")
          .InShortHelp()
          .With(IndexOptions(), [](auto& all) -> auto& { return all.index; })
          .Path(
              "metrics", [](auto& all) -> auto& { return all.metrics; }, "DIR",
              "Metrics of these documents, which are reused")
          .Frontends(kOnCommandLine | kInPython)
          .Choice(
              "mode", [](auto& all) -> auto& { return all.kernel.partitioned; },
              Choices<bool>{{"passed", false}, {"partitioned", true}},
              "Write passed documents, or all, separated by the filter that removed them")
          .InShortHelp()
          .Choice(
              "format", [](auto& all) -> auto& { return all.format; }, kShardFormats,
              "Format of the output; jsonl is jsonl.gz")
          .InShortHelp()
          .Flag(
              "keep-markup", [](auto& all) -> auto& { return all.kernel.keep_markup; },
              "Keep paths and link marks in the text")
          .Size(
              "shard-size", [](auto& all) -> auto& { return all.shard_bytes; }, 1, kAny,
              "Size after which a new file begins")
          .Frontends(kOnCommandLine | kInPython)
          .With(ColumnOptions(), [](auto& all) -> auto& { return all.kernel; })
          .Path(
              "tmp", [](auto& all) -> auto& { return all.tmp; }, "DIR",
              "Folder for temporary data of DeduplicateElement (default: beside the output)")
          .Frontends(kOnCommandLine | kInPython)
          .Flag(
              "allow-incomplete", [](auto& all) -> auto& { return all.allow_incomplete; },
              "Also read outputs of unfinished runs")
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return WithExamples(WithMemory(MakeCommand("filter", "Filter documents with a chain, and write clean text",
                                             kDocumentsPositional, options, &Run),
                                 kFilterMemory),
                      {"uzushio filter documents --output clean --config chain.conf --stats statistics",
                       "uzushio filter documents --output texts --format jsonl.zst",
                       "uzushio filter articles.jsonl --output removed --config chain.conf --mode partitioned"});
}

}  // namespace uzushio
