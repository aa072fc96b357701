#include "cli/extract_command.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "stages/extract/extract.h"

namespace uzushio {
namespace {

struct ExtractArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string output;
  std::vector<std::string> languages = {"ja"};
  std::string max_page_bytes = "8MiB";
  std::string max_text_bytes = "8MiB";
  PageLimits limits;
};

// Threads as asked for, but no more than the memory allows.
arrow::Result<int> ChooseThreads(const CommonOptions& common, const PageLimits& limits, const Console& console) {
  const auto needed = [&limits](int threads) {
    return ExtractMemory(threads, limits.max_bytes, limits.max_text_bytes);
  };
  int64_t memory = DefaultMemory();
  if (!common.memory.empty()) {
    ARROW_ASSIGN_OR_RAISE(memory, ParseSize(common.memory));
  }
  int threads = common.threads;
  while (threads > 1 && needed(threads) > memory) --threads;
  if (needed(threads) > memory) {
    return arrow::Status::Invalid("--memory ", common.memory.empty() ? FormatBytes(memory) : common.memory,
                                  ": extract needs ", needed(1) >> 20, "MiB for one thread and pages of ",
                                  limits.max_bytes >> 20, "MiB");
  }
  if (threads < common.threads) {
    console.Warning("--memory allows " + std::to_string(threads) + " of " + std::to_string(common.threads) +
                    " threads");
  }
  return threads;
}

arrow::Result<ExtractConfig> MakeConfig(const ExtractArguments& arguments, const Console& console) {
  ExtractConfig config;
  config.options.limits = arguments.limits;
  ARROW_ASSIGN_OR_RAISE(config.options.limits.max_bytes, ParsePageSize(arguments.max_page_bytes));
  ARROW_ASSIGN_OR_RAISE(config.options.limits.max_text_bytes, ParsePageSize(arguments.max_text_bytes));
  ARROW_ASSIGN_OR_RAISE(config.options.languages, ParseLanguages(arguments.languages));
  ARROW_ASSIGN_OR_RAISE(config.threads, ChooseThreads(arguments.common, config.options.limits, console));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments.inputs, kWarcSuffixes));
  ARROW_RETURN_NOT_OK(CheckPlaces(PlacesOf(arguments.common, arguments.output, arguments.inputs, config.inputs)));
  config.output = arguments.output;
  config.overwrite = arguments.common.overwrite;
  return config;
}

arrow::Result<int> Run(const ExtractArguments& arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_ASSIGN_OR_RAISE(const ExtractConfig config, MakeConfig(arguments, console));
  ExtractResult result;
  {
    ProgressBar bar(arguments.common, console);
    const auto on_progress = [&bar](const ExtractProgress& progress) {
      bar.Update(progress.bytes_done, progress.bytes_total, FormatCount(progress.documents) + " documents");
    };
    ARROW_ASSIGN_OR_RAISE(result, RunExtract(config, on_progress));
  }
  if (result.was_done) console.Info(config.output + ": was complete already; nothing to do");
  if (result.resumed_inputs > 0) {
    console.Info("went on with an unfinished run: " + std::to_string(result.resumed_inputs) + " inputs were done");
  }
  nlohmann::ordered_json json = result.counts.ToJson();
  json["stage"] = "extract";
  json["threads"] = config.threads;
  json["output"] = config.output;
  return FinishRun(arguments.common, console, start, std::move(json), SummaryText);
}

}  // namespace

void AddExtractCommand(CLI::App* app, CommandRun* run) {
  auto arguments = std::make_shared<ExtractArguments>();
  CLI::App* command = app->add_subcommand("extract", "Web archives (WARC, WET) to documents with paragraphs");
  command->add_option("INPUT", arguments->inputs, "WARC files, folders of them, or globs; paths or s3:// URIs")
      ->required();
  command->add_option("--output", arguments->output, "Folder to create")->required()->type_name("DIR");
  command->add_option("--language", arguments->languages, "Languages to keep, as ja,en, or all")
      ->delimiter(',')
      ->type_name("CODE,…")
      ->capture_default_str();
  const char* caps = "Caps on a page; what passes one is rejected and counted";
  command->add_option("--max-page-bytes", arguments->max_page_bytes, "Size of the page, content codings undone")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(caps);
  command->add_option("--max-text-bytes", arguments->max_text_bytes, "Size of its text with paths")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(caps);
  const std::pair<const char*, std::pair<size_t*, const char*>> numbers[] = {
      {"--max-inflation", {&arguments->limits.max_inflation, "Decoded bytes for a byte of compressed ones"}},
      {"--max-depth", {&arguments->limits.max_depth, "Depth of its elements"}},
      {"--max-attributes", {&arguments->limits.max_attributes, "Attributes of one element"}},
      {"--max-nodes", {&arguments->limits.max_nodes, "Elements, texts, comments and attributes"}}};
  for (const auto& [name, target] : numbers) {
    command->add_option(name, *target.first, target.second)
        ->check(CLI::PositiveNumber)
        ->type_name("N")
        ->capture_default_str()
        ->group(caps);
  }
  arguments->common.AddTo(command);
  command->callback([arguments, run] {
    const Console console(arguments->common, run->hooks);
    const auto result = Run(*arguments, console);
    run->exit_code = result.ok() ? *result : Report(console, result.status());
  });
}

}  // namespace uzushio
