#include <fmt/format.h>

#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "stages/extract/crawl_index.h"

namespace uzushio {
namespace {

using CrawlIndexArguments = StageArguments<IndexConfig>;

int64_t LeastIndexMemory(const CrawlIndexArguments& arguments, int threads) {
  const PageLimits& limits = arguments.config.limits;
  return ExtractMemory(threads, limits.max_bytes, limits.max_text_bytes, limits.max_tree_bytes);
}

arrow::Result<int> RunIndexCommand(CrawlIndexArguments* arguments, const Console& console) {
  IndexConfig& config = arguments->config;
  const auto needed = [arguments](int threads) { return LeastIndexMemory(*arguments, threads); };
  ARROW_RETURN_NOT_OK(
      ChooseStageThreads(console, needed, fmt::format("index needs {}MiB for one thread", needed(1) >> 20), &config));
  ARROW_ASSIGN_OR_RAISE(config.inputs,
                        ResolveInputs(arguments->inputs, config.from_cdxj ? kCdxjSuffixes : kWarcSuffixes));
  ARROW_RETURN_NOT_OK(CheckStagePlaces(arguments->common, arguments->inputs, config));
  config.allow_unreadable = arguments->common.max_bad.has_value();
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunIndex(config, [bar](const ExtractProgress& progress) {
          bar->Update(progress.bytes_done, progress.bytes_total, FormatCount(progress.documents) + " rows");
        });
      },
      [&config](const IndexResult& result) {
        nlohmann::ordered_json json = result.counts.ToJson();
        json["stage"] = "index";
        json["threads"] = config.threads;
        return json;
      });
}

}  // namespace

Command IndexCommand() {
  const auto all = WithCommon(DeclaredCrawlIndex());
  return WithMemory(
      NotOnSpark(WithExamples(
          MakeCommand("index", "Write an index of web archives, by which extract reads them",
                      {"INPUT", "WARC or ARC files, folders or globs; paths, s3://, gs:// or abfs:// URIs", true, true},
                      all, &RunIndexCommand),
          {"uzushio index pages.warc.gz --output index", "uzushio index --from captures.cdxj --output converted"})),
      all, &LeastIndexMemory);
}

}  // namespace uzushio
