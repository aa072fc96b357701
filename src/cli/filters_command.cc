#include "cli/commands_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/common.h"
#include "filters/chain.h"
#include "filters/list.h"

namespace uzushio {
namespace {

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
                                 filter.metric, filter.metric_help);
  if (filter.metrics.size() > 1) {
    for (const DeclaredMetric& metric : filter.metrics) text += fmt::format("    {}: {}\n", metric.name, metric.help);
  }
  for (const FilterParameter& parameter : filter.parameters) {
    const std::string range = RangeText(parameter);
    text += fmt::format("  {}: {}, {}{}; {}\n", parameter.name, TypeText(parameter), DefaultText(parameter),
                        range.empty() ? "" : ", " + range, parameter.help);
  }
  return text;
}

// The table of docs/filters.md.
std::string Markdown() {
  std::string text;
  for (const FilterDeclaration& filter : FilterDeclarations()) {
    text += fmt::format("### {}\n\n{} Works on {}.\n\nMetric `{}`: {}.\n", filter.name, MarkdownText(filter.summary),
                        filter.kind == "rewrites" ? "paragraphs, which it rewrites" : filter.kind, filter.metric,
                        MarkdownText(filter.metric_help));
    if (filter.metrics.size() > 1) {
      text += "\n| metric | |\n| --- | --- |\n";
      for (const DeclaredMetric& metric : filter.metrics) {
        text += fmt::format("| `{}` | {} |\n", metric.name, MarkdownCell(metric.help));
      }
    }
    if (!filter.parameters.empty()) {
      text += "\n| parameter | type | default | range | |\n| --- | --- | --- | --- | --- |\n";
    }
    for (const FilterParameter& parameter : filter.parameters) {
      std::string default_value = DefaultText(parameter);
      if (default_value.starts_with("default ")) default_value = default_value.substr(8);
      text +=
          fmt::format("| `{}` | {} | {} | {} | {} |\n", parameter.name, TypeText(parameter),
                      MarkdownCell(default_value), MarkdownCell(RangeText(parameter)), MarkdownCell(parameter.help));
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

Command FiltersCommand() {
  const auto options = Options<FiltersArguments>()
                           .Flag("markdown", &FiltersArguments::markdown, "Print as Markdown, as in docs/filters.md")
                           .Frontends(kOnCommandLine);
  const auto names = [] {
    std::vector<std::string> all;
    for (const FilterDeclaration& filter : FilterDeclarations()) all.push_back(filter.name);
    return all;
  };
  return WithExamples(MakeCommand("filters", "List filters with their parameters, defaults and metrics",
                                  {"NAME", "Show only this one", false, false, false, names}, options, &RunFilters),
                      {"uzushio filters", "uzushio filters HiraganaRatio"});
}

}  // namespace uzushio
