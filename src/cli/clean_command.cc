#include "cli/clean_command.h"

#include <optional>
#include <string>
#include <vector>

#include "base/memory_plan.h"
#include "cli/chain_warnings.h"
#include "cli/documents_options.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "datasets/text_reader.h"
#include "filters/chain_file.h"
#include "filters/preset.h"
#include "stages/filter/filter.h"

namespace uzushio {
namespace {

// The configuration's sections `input` and `output`, where they are not given on the command line; with the defaults of
// the original's reference.conf.
template <typename Text>
struct CleanFormats {
  Text input_format;
  Text input_delimiter;
  Text input_column;
  Text output_format;
  Text output_delimiter;
  Text output_column;
  Text output_element_delimiter;
};
using GivenFormats = CleanFormats<std::optional<std::string>>;
using ChosenFormats = CleanFormats<std::string>;

struct CleanGiven : FilterConfig {
  CleanGiven() { chain_file = "chitra"; }

  std::vector<std::string> settings;
  GivenFormats formats;
};
using CleanArguments = StageArguments<CleanGiven>;

// \n, \t and \r are what they say, and \\ is a backslash.
std::string Unescaped(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    const size_t known = std::string_view("ntr\\").find(next);
    if (next == '\0' || known == std::string_view::npos) {
      result += text[i];
      continue;
    }
    result += "\n\t\r\\"[known];
    ++i;
  }
  return result;
}

// What was given on the command line, in the configuration, or by default.
arrow::Result<ChosenFormats> ChooseFormats(const ChainFile& file, const GivenFormats& given) {
  ARROW_RETURN_NOT_OK(file.CheckKeys("input", {"format", "delimiter", "column"}));
  ARROW_RETURN_NOT_OK(file.CheckKeys("output", {"format", "delimiter", "column", "elementDelimiter"}));
  ChosenFormats chosen;
  const auto choose = [&](const char* section, const char* key, const std::optional<std::string>& of_command,
                          const char* default_value) -> arrow::Result<std::string> {
    if (of_command) return Unescaped(*of_command);
    ARROW_ASSIGN_OR_RAISE(const auto of_file, file.Text(section, key));
    return of_file.value_or(default_value);
  };
  ARROW_ASSIGN_OR_RAISE(chosen.input_format, choose("input", "format", given.input_format, "auto"));
  ARROW_ASSIGN_OR_RAISE(chosen.input_delimiter, choose("input", "delimiter", given.input_delimiter, kEmptyLine));
  ARROW_ASSIGN_OR_RAISE(chosen.input_column, choose("input", "column", given.input_column, "document"));
  ARROW_ASSIGN_OR_RAISE(chosen.output_format, choose("output", "format", given.output_format, "text"));
  ARROW_ASSIGN_OR_RAISE(chosen.output_delimiter, choose("output", "delimiter", given.output_delimiter, kEmptyLine));
  ARROW_ASSIGN_OR_RAISE(chosen.output_column, choose("output", "column", given.output_column, "document"));
  ARROW_ASSIGN_OR_RAISE(chosen.output_element_delimiter,
                        choose("output", "elementDelimiter", given.output_element_delimiter, "\n"));
  // As readers have them.
  for (size_t at = 0; (at = chosen.input_delimiter.find("\r\n", at)) != std::string::npos;) {
    chosen.input_delimiter.erase(at, 1);
  }
  if (chosen.input_delimiter.empty()) return arrow::Status::Invalid("input.delimiter: is empty");
  if (chosen.input_column.empty()) return arrow::Status::Invalid("input.column: is empty");
  if (chosen.output_column.empty()) return arrow::Status::Invalid("output.column: is empty");
  return chosen;
}

// Files of other endings than those of Parquet and JSON Lines are text, unless all are said to be something.
arrow::Result<RowFormats> InputFormats(const ChosenFormats& formats) {
  RowFormats input = {.all = std::nullopt,
                      .other = RowFormat::kText,
                      .delimiter = formats.input_delimiter,
                      .column_option = "--input-column"};
  const std::string& name = formats.input_format;
  if (name == "auto") return input;
  if (name != "text" && name != "txt" && name != "parquet" && name != "jsonl") {
    return arrow::Status::Invalid("input.format: ", name, " is none of text, parquet and jsonl");
  }
  input.all = name == "parquet" ? RowFormat::kParquet : name == "jsonl" ? RowFormat::kJson : RowFormat::kText;
  return input;
}

arrow::Result<ShardFormat> OutputFormat(const ChosenFormats& formats) {
  const std::string& name = formats.output_format;
  if (name == "text" || name == "txt") return ShardFormat::kText;
  for (const auto& [known, format] : kShardFormats) {
    if (name == known) return format;
  }
  return arrow::Status::Invalid("output.format: ", name, " is none of text, parquet, jsonl and jsonl.zst");
}

arrow::Result<ChainFile> ReadCleanChain(const CleanGiven& given) {
  ARROW_ASSIGN_OR_RAISE(const auto properties, ParseProperties(given.properties));
  ARROW_ASSIGN_OR_RAISE(ChainFile file, ChainFile::Read(given.chain_file, properties));
  ARROW_ASSIGN_OR_RAISE(const auto settings, ParseProperties(given.settings, "--set"));
  for (const auto& [key, value] : settings) ARROW_RETURN_NOT_OK(file.Set(key, Unescaped(value)));
  for (const auto& [name, value] : properties) {
    if (!file.Mentions(name) && name != "sudachi") {
      return arrow::Status::Invalid("-P ", name, ": ", given.chain_file, " has no ${", name, "}");
    }
  }
  // The older configurations do not say which dictionary.
  if (const auto sudachi = properties.find("sudachi"); sudachi != properties.end()) {
    file.SetDefault("RemoveNGWordDocument", "sudachi", sudachi->second);
  }
  return file;
}

arrow::Result<CleanPlan> PlanOf(const CleanGiven& given) {
  CleanPlan plan;
  ARROW_ASSIGN_OR_RAISE(const ChainFile file, ReadCleanChain(given));
  ARROW_ASSIGN_OR_RAISE(plan.chain, FilterChain::Of(file, given.memory));
  ARROW_ASSIGN_OR_RAISE(const ChosenFormats formats, ChooseFormats(file, given.formats));
  ARROW_ASSIGN_OR_RAISE(plan.input, InputFormats(formats));
  ARROW_ASSIGN_OR_RAISE(plan.format, OutputFormat(formats));
  plan.kernel.partitioned = given.kernel.partitioned;
  plan.kernel.is_plain = true;
  plan.kernel.separator = formats.output_element_delimiter;
  plan.kernel.text_column = formats.input_column;
  plan.output_column = formats.output_column;
  plan.output_delimiter = formats.output_delimiter;
  return plan;
}

arrow::Status Complete(CleanArguments* arguments) {
  CleanGiven& config = arguments->config;
  ARROW_ASSIGN_OR_RAISE(CleanPlan plan, PlanOf(config));
  SetPlan(std::move(plan), &config);
  ARROW_ASSIGN_OR_RAISE(config.memory, config.chain->ChooseMemory(config, kFilterMemory));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kTextSuffixes));
  Places more;
  more.others = {PlaceOfChain(config.chain_file)};
  return ChooseStagePlaces(arguments->common, arguments->inputs, &config, more);
}

arrow::Result<int> RunClean(CleanArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Complete(arguments));
  WarnOfIncludes(console, FindChainFile(arguments->config.chain_file).string());
  return RunFilterCommand(arguments->common, console, arguments->config);
}

const Options<GivenFormats>& FormatOptions() {
  static const auto options =
      Options<GivenFormats>()
          .Text("input-format", &GivenFormats::input_format, "FORMAT",
                "text, parquet or jsonl (default: by the file extension)")
          .Text("input-delimiter", &GivenFormats::input_delimiter, "TEXT",
                "Separator of documents in text; \\n is a line break (default: \\n\\n)")
          .Text("input-column", &GivenFormats::input_column, "NAME", "Column or key of the texts (default: document)")
          .Text("output-format", &GivenFormats::output_format, "FORMAT",
                "text, parquet, jsonl or jsonl.zst (default: text)")
          .Text("output-delimiter", &GivenFormats::output_delimiter, "TEXT",
                "Written after each document of text (default: \\n\\n)")
          .Text("output-column", &GivenFormats::output_column, "NAME",
                "Column or key of the clean texts (default: document)")
          .Text("output-element-delimiter", &GivenFormats::output_element_delimiter, "TEXT",
                "Separator of the sentences or paragraphs of a document (default: \\n)");
  return options;
}

const Options<CleanGiven>& CleanOptions() {
  static const auto options =
      Options<CleanGiven>()
          .With(DeclaredOutputFolder())
          .Required()
          .Path("config", &CleanGiven::chain_file, "FILE",
                "HOCON file with the list `stages`, or an installed one: chitra, rmTemplate, sudachiDictCorpus, warc")
          .InShortHelp()
          .Text("P", &CleanGiven::properties, "NAME=VALUE",
                "Value for a ${name} in the configuration; sudachi=FILE is the dictionary; may be repeated")
          .InShortHelp()
          .Text(
              "set", &CleanGiven::settings, "KEY=VALUE",
              "Override a value in the configuration, such as FilterBySentenceLength.max=300 or stages.7.max=300; may "
              "be repeated")
          .With(FormatOptions(), &CleanGiven::formats)
          .Choice("mode", Within(&CleanGiven::kernel, &FilterKernelOptions::partitioned),
                  Choices<bool>{{"passed", false}, {"partitioned", true}},
                  "Write passed documents, or all, separated by the stage that removed them")
          .Size("shard-size", &CleanGiven::shard_bytes, 1, kAny, "Size after which a new file begins")
          .Frontends(kOnCommandLine | kInPython)
          .With(DeclaredTmp(" of DeduplicateElement"))
          .With(DeclaredAllowIncomplete());
  return options;
}

}  // namespace

arrow::Result<CleanPlan> PlanClean(const OptionTexts& given) {
  StageArguments<CleanGiven> arguments;
  ARROW_RETURN_NOT_OK(WithCommon(CleanOptions()).Set(given, &arguments));
  return PlanOf(arguments.config);
}

void SetPlan(CleanPlan plan, FilterConfig* config) {
  config->chain = std::move(plan.chain);
  config->input = std::move(plan.input);
  config->kernel = std::move(plan.kernel);
  config->format = plan.format;
  config->output_column = std::move(plan.output_column);
  config->output_delimiter = std::move(plan.output_delimiter);
}

Command CleanCommand() {
  return WithMemory(
      WithExamples(
          MakeCommand("clean", "Clean text corpora with the original's cleaning stages",
                      {"INPUT", "Text, Parquet or JSON Lines: files, folders or globs; paths, s3://, gs:// or abfs://",
                       true, true},
                      WithCommon(CleanOptions()), &RunClean),
          {"uzushio clean wiki.txt --output without_templates --config rmTemplate",
           "uzushio clean wiki.txt --output parted --config rmTemplate --mode partitioned"}),
      kFilterMemory);
}

}  // namespace uzushio
