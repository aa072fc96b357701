#include "cli/metrics_command.h"

#include <chrono>
#include <memory>

#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "stages/filter/explain.h"
#include "datasets/row_reader.h"
#include "stages/filter/metrics.h"

namespace uzushio {
namespace {

struct MetricsArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string chain_file;
  std::vector<std::string> properties;
  std::vector<std::string> metrics;  // names of filters, with their defaults; instead of a chain file
  std::string shard_size = "1GiB";
  MetricsConfig config;
};

arrow::Result<std::unique_ptr<FilterChain>> ReadChain(const MetricsArguments& arguments) {
  if (arguments.chain_file.empty() == arguments.metrics.empty()) {
    return arrow::Status::Invalid("give one of --config FILE and --metric NAME");
  }
  ARROW_ASSIGN_OR_RAISE(const auto properties, ParseProperties(arguments.properties));
  if (arguments.metrics.empty()) return FilterChain::Read(arguments.chain_file, properties);
  nlohmann::json filters = nlohmann::json::array();
  for (const std::string& name : arguments.metrics) filters.push_back({{"class", name}});
  auto chain = FilterChain::Make(filters);
  return chain.ok() ? std::move(chain) : chain.status().WithMessage("--metric: ", chain.status().message());
}

arrow::Status Complete(MetricsArguments* arguments) {
  MetricsConfig& config = arguments->config;
  config.overwrite = arguments->common.overwrite;
  ARROW_ASSIGN_OR_RAISE(config.chain, ReadChain(*arguments));
  ARROW_ASSIGN_OR_RAISE(config.shard_bytes, ParseSize(arguments->shard_size));
  config.threads = arguments->common.threads;
  ARROW_ASSIGN_OR_RAISE(config.memory,
                        ChooseMemory(arguments->common.memory, config.threads, kMetricsMemory.With(config.threads)));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  Places places = PlacesOf(arguments->common, config.output, arguments->inputs, config.inputs);
  places.others.push_back({"--stats", config.statistics});
  places.others.push_back({"--config", arguments->chain_file});
  places.tmp = config.tmp;
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
  ARROW_ASSIGN_OR_RAISE(config.tmp, ChooseTmp(config.tmp, config.output));
  return arrow::Status::OK();
}

arrow::Result<int> RunMetricsCommand(MetricsArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(Complete(arguments));
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
                                 {"output", arguments->config.output}};
  for (const MetricSummary& metric : result.metrics) json["metrics"][metric.name] = metric.quantiles;
  return FinishRun(arguments->common, console, start, std::move(json), SummaryText);
}

}  // namespace

void AddMetricsCommand(CLI::App* app, CommandRun* run) {
  auto arguments = std::make_shared<MetricsArguments>();
  MetricsConfig& config = arguments->config;
  CLI::App* command =
      app->add_subcommand("metrics", "Every metric of a chain for every document, to choose thresholds by");
  command
      ->add_option("INPUT", arguments->inputs,
                   "Documents, Parquet or JSON Lines: files, folders or globs; paths or s3://")
      ->required();
  command->add_option("--output", config.output, "Folder to create")->required()->type_name("DIR");
  command->add_option("--config", arguments->chain_file, "HOCON file with the list `filters`")->type_name("FILE");
  command
      ->add_option("--metric", arguments->metrics, "Filter whose metric is wanted, with its defaults; may be repeated")
      ->check(IsText())
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("-P", arguments->properties, "Value for a ${name} in the configuration; may be repeated")
      ->check(IsText())
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--stats", config.statistics, "Statistics of paragraphs (default: each occurs once)")
      ->type_name("DIR");
  command->add_option("--sorted-by", config.sorted_by, "Also write the documents, sorted by this metric")
      ->check(IsText())
      ->type_name("NAME");
  command->add_option("--shard-size", arguments->shard_size, "Size that ends a file of documents")
      ->type_name("SIZE")
      ->capture_default_str();
  command->add_option("--tmp", config.tmp, "Folder for temporary data (default: beside the output)")->type_name("DIR");
  command->add_option("--text-column", config.kernel.text_column, "Column, or key, of the texts")
      ->check(IsText())
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--id-column", config.kernel.id_column, "Column, or key, of the documents' ids")
      ->check(IsText())
      ->type_name("NAME")
      ->capture_default_str();
  command->add_flag("--allow-incomplete", config.allow_incomplete, "Read outputs of unfinished runs too");
  arguments->common.AddTo(command);
  command->callback([arguments, run] {
    const Console console(arguments->common, run->hooks);
    const auto result = RunMetricsCommand(arguments.get(), console);
    run->exit_code = result.ok() ? *result : Report(console, result.status());
  });
}

void AddExplainCommand(CLI::App* app, CommandRun* run) {
  auto id = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app->add_subcommand("explain", "The way of one document through a run of filter");
  command->add_option("DOC_ID", *id, "The document")->required();
  command->add_option("--in", *folder, "Output of uzushio filter")->required()->type_name("DIR");
  command->callback([id, folder, run] {
    const Console console(CommonOptions(), run->hooks);
    const auto text = ExplainDocument(*folder, *id, MachineThreads(), DefaultMemory());
    if (text.ok()) console.Print(*text);
    run->exit_code = text.ok() ? kExitDone : Report(console, text.status());
  });
}

}  // namespace uzushio
