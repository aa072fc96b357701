#include "cli/filter_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/common.h"
#include "cli/documents_options.h"
#include "cli/summary.h"
#include "datasets/row_reader.h"
#include "filters/list.h"
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
  return RunFilterCommand(arguments->common, console, config);
}

// --- uzushio filters ---

// Line breaks as configurations have them.
std::string OnOneLine(const std::string& text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? "\\n" : std::string(1, c);
  return line;
}

std::string DefaultText(const FilterParameter& parameter) {
  if (!parameter.default_value) return "required";
  if (const auto* number = std::get_if<double>(&*parameter.default_value)) {
    return "default " + JavaNumber(static_cast<float>(*number));
  }
  if (const auto* whole = std::get_if<int64_t>(&*parameter.default_value)) return "default " + std::to_string(*whole);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&*parameter.default_value)) {
    return fmt::format("default {}", texts->empty() ? "none" : fmt::format("{}", fmt::join(*texts, ", ")));
  }
  const std::string& text = std::get<std::string>(*parameter.default_value);
  return "default " + (text.empty() ? "none" : OnOneLine(text));
}

const char* TypeText(const FilterParameter& parameter) {
  switch (parameter.type) {
    case FilterParameter::Type::kInt:
      return "int";
    case FilterParameter::Type::kFloat:
      return "float";
    case FilterParameter::Type::kText:
      return "string";
    case FilterParameter::Type::kTexts:
      return "strings";
  }
  return "";
}

std::string RangeText(const FilterParameter& parameter) {
  if (parameter.type == FilterParameter::Type::kTexts) return "";
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
  if (filter.metrics.size() > 1) {
    for (const DeclaredMetric& metric : filter.metrics)
      text += fmt::format("    {}: {}\n", metric.name, metric.meaning);
  }
  for (const FilterParameter& parameter : filter.parameters) {
    const std::string range = RangeText(parameter);
    text += fmt::format("  {}: {}, {}{}; {}\n", parameter.name, TypeText(parameter), DefaultText(parameter),
                        range.empty() ? "" : ", " + range, parameter.meaning);
  }
  return text;
}

// The table of docs/filters.md.
std::string Markdown() {
  std::string text;
  for (const FilterDeclaration& filter : FilterDeclarations()) {
    text += fmt::format("### {}\n\n{} Works on {}.\n\nMetric `{}`: {}.\n", filter.name, filter.summary,
                        filter.kind == "rewrites" ? "paragraphs, which it rewrites" : filter.kind, filter.metric,
                        filter.metric_meaning);
    if (filter.metrics.size() > 1) {
      text += "\n| metric | |\n| --- | --- |\n";
      for (const DeclaredMetric& metric : filter.metrics) {
        text += fmt::format("| `{}` | {} |\n", metric.name, MarkdownCell(metric.meaning));
      }
    }
    if (!filter.parameters.empty()) {
      text += "\n| parameter | type | default | range | |\n| --- | --- | --- | --- | --- |\n";
    }
    for (const FilterParameter& parameter : filter.parameters) {
      std::string standard = DefaultText(parameter);
      if (standard.starts_with("default ")) standard = standard.substr(8);
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", parameter.name, TypeText(parameter), MarkdownCell(standard),
                          MarkdownCell(RangeText(parameter)), MarkdownCell(parameter.meaning));
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

struct FiltersArguments {
  CommonOptions common;
  std::vector<std::string> inputs;  // one name, or none
  bool markdown = false;
};

arrow::Result<int> RunFilters(FiltersArguments* arguments, const Console& console) {
  const std::string name = arguments->inputs.empty() ? "" : arguments->inputs.front();
  ARROW_ASSIGN_OR_RAISE(const std::string text, FiltersText(name, arguments->markdown));
  console.Print(text);
  return kExitDone;
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
              "HOCON file with the list `filters`, or swallow.conf, which is installed (default: none; only converts)")
          .Often()
          .Text(
              "P", [](auto& all) -> auto& { return all.properties; }, "NAME=VALUE",
              "Value for a ${name} in the configuration; may be repeated")
          .Path(
              "stats", [](auto& all) -> auto& { return all.statistics; }, "DIR",
              "Statistics of paragraphs (default: each occurs once)")
          .Often()
          .With(IndexOptions(), [](auto& all) -> auto& { return all.index; })
          .Path(
              "metrics", [](auto& all) -> auto& { return all.metrics; }, "DIR",
              "Metrics of these documents, not to be computed again")
          .Doors(kOnCommandLine | kInPython)
          .Choice(
              "mode", [](auto& all) -> auto& { return all.kernel.partitioned; },
              Choices<bool>{{"passed", false}, {"partitioned", true}},
              "Write what passed, or all by the filter that removed it")
          .Often()
          .Choice(
              "format", [](auto& all) -> auto& { return all.format; }, kShardFormats,
              "Of the output; jsonl is jsonl.gz")
          .Often()
          .Flag(
              "keep-markup", [](auto& all) -> auto& { return all.kernel.keep_markup; },
              "Keep paths and link marks in the text")
          .Size(
              "shard-size", [](auto& all) -> auto& { return all.shard_bytes; }, 1, kAny, "Size that ends a file")
          .Doors(kOnCommandLine | kInPython)
          .With(ColumnOptions(), [](auto& all) -> auto& { return all.kernel; })
          .Path(
              "tmp", [](auto& all) -> auto& { return all.tmp; }, "DIR",
              "Folder for temporary data of DeduplicateElement (default: beside the output)")
          .Doors(kOnCommandLine | kInPython)
          .Flag(
              "allow-incomplete", [](auto& all) -> auto& { return all.allow_incomplete; },
              "Read outputs of unfinished runs too")
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return WithExamples(WithMemory(MakeCommand("filter", "Documents to clean text, by a chain of filters",
                                             kDocumentsPositional, options, &Run),
                                 kFilterMemory),
                      {"uzushio filter documents --output clean --config chain.conf --stats statistics",
                       "uzushio filter documents --output texts --format jsonl.zst",
                       "uzushio filter articles.jsonl --output removed --config chain.conf --mode partitioned"});
}

Command FiltersCommand() {
  const auto options =
      Options<FiltersArguments>()
          .Flag(
              "markdown", [](auto& all) -> auto& { return all.markdown; }, "As docs/filters.md has them")
          .Doors(kOnCommandLine);
  const auto names = [] {
    std::vector<std::string> all;
    for (const FilterDeclaration& filter : FilterDeclarations()) all.push_back(filter.name);
    return all;
  };
  return WithExamples(MakeCommand("filters", "Lists the filters, their parameters, defaults and metrics",
                                  {"NAME", "Only this one", false, false, false, names}, options, &RunFilters),
                      {"uzushio filters", "uzushio filters HiraganaRatio"});
}

}  // namespace uzushio
