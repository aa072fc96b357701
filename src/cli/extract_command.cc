#include "cli/extract_command.h"

#include <chrono>
#include <optional>

#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "cli/allowed_threads.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "datasets/dataset.h"
#include "stages/extract/extract.h"
#include "stages/extract/options.h"

namespace uzushio {
namespace {

struct ExtractArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string output;
  PageOptions page;
  std::optional<ShardFormat> full_data;
};

int64_t LeastMemory(const ExtractArguments& arguments, int threads) {
  const PageLimits& limits = arguments.page.limits;
  int64_t memory = ExtractMemory(threads, limits.max_bytes, limits.max_text_bytes, limits.max_tree_bytes);
  if (arguments.page.main_content != ContentMethod::kNone) memory += MainContentMemory(threads, limits.max_text_bytes);
  if (arguments.full_data) memory += FullDataMemory(threads, limits.max_bytes, limits.max_text_bytes);
  return memory;
}

// Threads as asked for, but no more than the memory allows.
arrow::Result<int> ChooseThreads(const ExtractArguments& arguments, const Console& console) {
  const CommonOptions& common = arguments.common;
  const auto needed = [&arguments](int threads) { return LeastMemory(arguments, threads); };
  const int64_t memory = common.memory.value_or(DefaultMemory());
  const int threads = AllowedThreads(common.threads, memory, needed);
  if (needed(threads) > memory) {
    return MemoryError("--memory ", SizeText(memory), ": extract needs ", needed(1) >> 20,
                       "MiB for one thread and pages of ", arguments.page.limits.max_bytes >> 20, "MiB",
                       arguments.full_data ? ", with their full data" : "");
  }
  if (threads < common.threads) console.Warning(AllowedThreadsWarning(threads, common.threads));
  return threads;
}

arrow::Result<ExtractConfig> MakeConfig(const ExtractArguments& arguments, const Console& console) {
  ExtractConfig config;
  ARROW_ASSIGN_OR_RAISE(config.options, ToExtractOptions(arguments.page));
  ARROW_ASSIGN_OR_RAISE(config.threads, ChooseThreads(arguments, console));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments.inputs, kWarcSuffixes));
  ARROW_RETURN_NOT_OK(CheckPlaces(PlacesOf(arguments.common, arguments.output, arguments.inputs, config.inputs)));
  config.output = arguments.output;
  config.full_data = arguments.full_data;
  config.overwrite = arguments.common.overwrite;
  config.allow_unreadable = arguments.common.max_bad.has_value();
  return config;
}

arrow::Result<int> Run(ExtractArguments* given, const Console& console) {
  const ExtractArguments& arguments = *given;
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
  if (const size_t count = result.without_records.size(); count > 0) {
    const std::string others = count > 1 ? " and " + FormatCount(static_cast<int64_t>(count) - 1) + " others" : "";
    console.Warning(result.without_records.front() + others + ": there is no record in " +
                    (count > 1 ? "these files; were they" : "this file; was it") + " downloaded whole?");
  }
  nlohmann::ordered_json json = result.counts.ToJson();
  json["stage"] = "extract";
  json["threads"] = config.threads;
  json["output"] = config.output;
  return FinishRun(arguments.common, console, start, std::move(json), SummaryText);
}

}  // namespace

Command ExtractCommand() {
  const auto options =
      Options<ExtractArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.output; }, "DIR", "Folder to create")
          .Required()
          .Choice(
              "full-data", [](auto& all) -> auto& { return all.full_data; }, kShardFormats,
              "Also write _full-data/: headers, the bytes of the page, paragraphs with their paths; jsonl is jsonl.gz")
          .ImplicitValue("parquet")
          .InShortHelp()
          .With(DeclaredPageOptions(), [](auto& all) -> auto& { return all.page; })
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return WithMemory(WithExamples(MakeCommand("extract", "Extract documents from web archives (WARC, WET)",
                                             {"INPUT", "WARC files, folders or globs; paths or s3:// URIs", true, true},
                                             options, &Run),
                                 {"uzushio extract pages.warc.gz --output documents",
                                  "uzushio extract pages.warc.gz --output main --main-content",
                                  "uzushio extract '*.warc.gz' --output both --language ja,en --threads 2"}),
                    options, &LeastMemory);
}

}  // namespace uzushio
