#include "cli/commands_list.h"

#include <chrono>

#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "cli/allowed_threads.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "datasets/dataset.h"
#include "stages/extract/crawl_index.h"

namespace uzushio {
namespace {

struct IndexArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  IndexConfig config;
};

int64_t LeastIndexMemory(const IndexArguments& arguments, int threads) {
  const PageLimits& limits = arguments.config.limits;
  return ExtractMemory(threads, limits.max_bytes, limits.max_text_bytes, limits.max_tree_bytes);
}

arrow::Status CompleteIndex(IndexArguments* arguments, const Console& console) {
  IndexConfig& config = arguments->config;
  const CommonOptions& common = arguments->common;
  const auto needed = [arguments](int threads) { return LeastIndexMemory(*arguments, threads); };
  const int64_t memory = common.memory.value_or(DefaultMemory());
  config.threads = AllowedThreads(common.threads, memory, needed);
  if (needed(config.threads) > memory) {
    return MemoryError("--memory ", SizeText(memory), ": index needs ", needed(1) >> 20, "MiB for one thread");
  }
  if (config.threads < common.threads) console.Warning(AllowedThreadsWarning(config.threads, common.threads));
  const std::vector<std::string_view> cdxj = {".cdxj", ".cdx", ".gz", ".zst"};
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, config.from_cdxj ? cdxj : kWarcSuffixes));
  ARROW_RETURN_NOT_OK(CheckPlaces(PlacesOf(common, config.output, arguments->inputs, config.inputs)));
  config.overwrite = common.overwrite;
  config.allow_unreadable = common.max_bad.has_value();
  return arrow::Status::OK();
}

arrow::Result<int> RunIndexCommand(IndexArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(CompleteIndex(arguments, console));
  const IndexConfig& config = arguments->config;
  IndexResult result;
  {
    ProgressBar bar(arguments->common, console);
    const auto on_progress = [&bar](const ExtractProgress& progress) {
      bar.Update(progress.bytes_done, progress.bytes_total, FormatCount(progress.documents) + " rows");
    };
    ARROW_ASSIGN_OR_RAISE(result, RunIndex(config, on_progress));
  }
  if (result.was_done) console.Info(config.output + ": was complete already; nothing to do");
  nlohmann::ordered_json json = result.counts.ToJson();
  json["stage"] = "index";
  json["threads"] = config.threads;
  json["output"] = config.output;
  return FinishRun(arguments->common, console, start, std::move(json), SummaryText);
}

}  // namespace

Command IndexCommand() {
  const auto options =
      Options<IndexArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.config.output; }, "DIR", "Folder to create")
          .Required()
          .Flag(
              "from-cdxj", [](auto& all) -> auto& { return all.config.from_cdxj; },
              "Inputs are lines of CDXJ, plain or gzip, as pywb and Common Crawl write them")
          .Alias("from")
          .InShortHelp()
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return WithMemory(
      NotOnSpark(WithExamples(
          MakeCommand("index", "Write an index of web archives, by which extract reads them",
                      {"INPUT", "WARC files, folders or globs; paths or s3:// URIs", true, true}, options,
                      &RunIndexCommand),
          {"uzushio index pages.warc.gz --output index", "uzushio index --from captures.cdxj --output converted"})),
      options, &LeastIndexMemory);
}

}  // namespace uzushio
