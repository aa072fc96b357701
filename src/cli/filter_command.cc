#include "cli/filter_command.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/memory_plan.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "filters/list.h"
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
  std::string mode = "passed";
  std::string format = "parquet";
  std::string shard_size = "1GiB";
  bool allow_incomplete = false;
  FilterKernelOptions kernel;
};

arrow::Result<FilterConfig> MakeConfig(const FilterArguments& arguments) {
  FilterConfig config;
  config.output = arguments.output;
  config.statistics = arguments.statistics;
  config.metrics = arguments.metrics;
  config.kernel = arguments.kernel;
  config.kernel.partitioned = arguments.mode == "partitioned";
  config.format = arguments.format == "parquet"     ? ShardFormat::kParquet
                  : arguments.format == "jsonl.zst" ? ShardFormat::kJsonZstd
                                                    : ShardFormat::kJsonGzip;
  config.allow_incomplete = arguments.allow_incomplete;
  config.overwrite = arguments.common.overwrite;
  ARROW_ASSIGN_OR_RAISE(config.shard_bytes, ParseSize(arguments.shard_size));
  if (config.shard_bytes <= 0)
    return arrow::Status::Invalid("--shard-size ", arguments.shard_size, ": must be above 0");
  ARROW_ASSIGN_OR_RAISE(const auto properties, ParseProperties(arguments.properties));
  config.threads = arguments.common.threads;
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(arguments.common, kFilterMemory.With(config.threads)));
  // What is wrong with the chain is said before inputs are looked for.
  ARROW_ASSIGN_OR_RAISE(config.chain, arguments.config.empty() ? FilterChain::Make(nlohmann::json::array())
                                                               : FilterChain::Read(arguments.config, properties));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments.inputs, kDocumentSuffixes));
  Places places = PlacesOf(arguments.common, arguments.output, arguments.inputs, config.inputs);
  places.others.push_back({"--stats", arguments.statistics});
  places.others.push_back({"--metrics", arguments.metrics});
  places.others.push_back({"--config", arguments.config});
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
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

arrow::Result<int> Run(const FilterArguments& arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_ASSIGN_OR_RAISE(const FilterConfig config, MakeConfig(arguments));
  FilterResult result;
  {
    ProgressBar bar(arguments.common, console);
    ARROW_ASSIGN_OR_RAISE(result, RunFilter(config, [&bar](double share) { bar.UpdateShare(share, "filtering"); }));
  }
  if (result.was_done) console.Info(arguments.output + ": was complete already; nothing to do");
  return FinishRun(arguments.common, console, start, SummaryJson(result, arguments.output), SummaryText);
}

// --- uzushio filters ---

std::string DefaultText(const FilterParameter& parameter) {
  if (!parameter.default_value) return "required";
  if (const auto* number = std::get_if<double>(&*parameter.default_value)) {
    return "default " + JavaNumber(static_cast<float>(*number));
  }
  if (const auto* whole = std::get_if<int64_t>(&*parameter.default_value)) return "default " + std::to_string(*whole);
  return "default " + std::get<std::string>(*parameter.default_value);
}

const char* TypeText(const FilterParameter& parameter) {
  if (parameter.type == FilterParameter::Type::kInt) return "int";
  return parameter.type == FilterParameter::Type::kFloat ? "float" : "string";
}

std::string RangeText(const FilterParameter& parameter) {
  if (parameter.type == FilterParameter::Type::kText) {
    std::string choices;
    for (const std::string& choice : parameter.choices) choices += (choices.empty() ? "" : " | ") + choice;
    return choices;
  }
  const bool whole = parameter.type == FilterParameter::Type::kInt;
  const auto number = [whole](double value) {
    if (!whole) return fmt::format("{:g}", value);
    return value >= 9.2e18 ? "2^63 - 1" : std::to_string(static_cast<int64_t>(value));
  };
  return number(parameter.least) + " … " + number(parameter.most);
}

std::string FilterText(const FilterDeclaration& filter) {
  std::string text = fmt::format("{} ({})\n  {}\n  metric {}: {}\n", filter.name, filter.kind, filter.summary,
                                 filter.metric, filter.metric_meaning);
  for (const FilterParameter& parameter : filter.parameters) {
    const std::string range = RangeText(parameter);
    text += fmt::format("  {}: {}, {}{}; {}\n", parameter.name, TypeText(parameter), DefaultText(parameter),
                        range.empty() ? "" : ", " + range, parameter.meaning);
  }
  return text;
}

// A cell of a table in Markdown, which a bar would end.
std::string Cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

// The table of docs/filters.md.
std::string Markdown() {
  std::string text;
  for (const FilterDeclaration& filter : FilterDeclarations()) {
    text += fmt::format("### {}\n\n{} Works on {}.\n\nMetric `{}`: {}.\n", filter.name, filter.summary,
                        filter.kind == "rewrites" ? "paragraphs, which it rewrites" : filter.kind, filter.metric,
                        filter.metric_meaning);
    if (!filter.parameters.empty()) {
      text += "\n| parameter | type | default | range | |\n| --- | --- | --- | --- | --- |\n";
    }
    for (const FilterParameter& parameter : filter.parameters) {
      std::string standard = DefaultText(parameter);
      if (standard.starts_with("default ")) standard = standard.substr(8);
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", parameter.name, TypeText(parameter), Cell(standard),
                          Cell(RangeText(parameter)), Cell(parameter.meaning));
    }
    text += '\n';
  }
  return text;
}

arrow::Result<std::string> FiltersText(const std::string& name, bool markdown) {
  if (markdown) return Markdown();
  std::string text;
  for (const FilterDeclaration& filter : FilterDeclarations()) {
    if (!name.empty() && filter.name != name) continue;
    text += (text.empty() ? "" : "\n") + FilterText(filter);
  }
  if (!text.empty()) return text;
  // The chain knows how to say which name is near.
  return FilterChain::Make(nlohmann::json::array({{{"class", name}}})).status();
}

}  // namespace

void AddFilterCommand(CLI::App* app, CommandRun* run) {
  auto arguments = std::make_shared<FilterArguments>();
  CLI::App* command = app->add_subcommand("filter", "Documents to clean text, by a chain of filters");
  command
      ->add_option("INPUT", arguments->inputs,
                   "Documents, Parquet or JSON Lines: files, folders or globs; paths or s3://")
      ->required();
  command->add_option("--output", arguments->output, "Folder to create")->required()->type_name("DIR");
  command
      ->add_option("--config", arguments->config, "HOCON file with the list `filters` (default: none; only converts)")
      ->type_name("FILE");
  command->add_option("-P", arguments->properties, "Value for a ${name} in the configuration; may be repeated")
      ->check(IsText())
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--stats", arguments->statistics, "Statistics of paragraphs (default: each occurs once)")
      ->type_name("DIR");
  command->add_option("--metrics", arguments->metrics, "Metrics of these documents, not to be computed again")
      ->type_name("DIR");
  command->add_option("--mode", arguments->mode, "Write what passed, or all by the filter that removed it")
      ->check(CLI::IsMember({"passed", "partitioned"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "Of the output; jsonl is jsonl.gz")
      ->check(CLI::IsMember({"parquet", "jsonl", "jsonl.gz", "jsonl.zst"}))
      ->capture_default_str();
  command->add_flag("--keep-markup", arguments->kernel.keep_markup, "Keep paths and link marks in the text");
  command->add_option("--shard-size", arguments->shard_size, "Size that ends a file")
      ->type_name("SIZE")
      ->capture_default_str();
  command->add_option("--text-column", arguments->kernel.text_column, "Column, or key, of the texts")
      ->check(IsText())
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--id-column", arguments->kernel.id_column, "Column, or key, of the documents' ids")
      ->check(IsText())
      ->type_name("NAME")
      ->capture_default_str();
  command->add_flag("--allow-incomplete", arguments->allow_incomplete, "Read outputs of unfinished runs too");
  arguments->common.AddTo(command);
  command->callback([arguments, run] {
    const Console console(arguments->common, run->hooks);
    const auto result = Run(*arguments, console);
    run->exit_code = result.ok() ? *result : Report(console, result.status());
  });
}

void AddFiltersCommand(CLI::App* app, CommandRun* run) {
  auto name = std::make_shared<std::string>();
  auto markdown = std::make_shared<bool>(false);
  CLI::App* command = app->add_subcommand("filters", "Lists the filters, their parameters, defaults and metrics");
  command->add_option("NAME", *name, "Only this one");
  command->add_flag("--markdown", *markdown, "As docs/filters.md has them");
  command->callback([name, markdown, run] {
    const Console console(CommonOptions(), run->hooks);
    const auto text = FiltersText(*name, *markdown);
    if (text.ok()) console.Print(*text);
    run->exit_code = text.ok() ? kExitDone : Report(console, text.status());
  });
}

}  // namespace uzushio
