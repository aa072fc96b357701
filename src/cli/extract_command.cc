#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/parquet_file.h"
#include "stages/extract/extract.h"
#include "stages/extract/index_plan.h"
#include "stages/extract/indexed_reader.h"
#include "stages/extract/options.h"
#include "storage/store_place.h"
#include "warc/cdxj.h"

namespace uzushio {
namespace {

using ExtractArguments = StageArguments<ExtractConfig>;

int64_t LeastMemory(const ExtractArguments& arguments, int threads) {
  const ExtractConfig& given = arguments.config;
  const PageLimits& limits = given.options.limits;
  int64_t memory = ExtractMemory(threads, limits.max_bytes, limits.max_text_bytes, limits.max_tree_bytes);
  if (given.options.main_content != ContentMethod::kNone) memory += MainContentMemory(threads, limits.max_text_bytes);
  if (given.full_data) memory += FullDataMemory(threads, limits.max_bytes, limits.max_text_bytes);
  if (given.index.is_given()) memory += kIndexedMemory.With(threads);
  return memory;
}

arrow::Status CheckOptions(ExtractArguments* arguments) {
  ARROW_RETURN_NOT_OK(Complete(&arguments->config.options));
  ARROW_RETURN_NOT_OK(CheckRevisits(arguments->config));
  return CompleteQuery(&arguments->config.index);
}

arrow::Status Complete(ExtractArguments* arguments, const Console& console) {
  ExtractConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(Complete(&config.options));
  const auto needed = [arguments](int threads) { return LeastMemory(*arguments, threads); };
  const std::string wanted =
      fmt::format("extract needs {}MiB for one thread and pages of {}MiB{}", needed(1) >> 20,
                  config.options.limits.max_bytes >> 20, config.full_data ? ", with their full data" : "");
  ARROW_RETURN_NOT_OK(ChooseStageThreads(console, needed, wanted, &config));
  config.allow_unreadable = arguments->common.max_bad.has_value();
  if (!config.index.is_given()) {
    ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kWarcSuffixes));
    return IsOnStore(config.output) ? ChooseStagePlaces(arguments->common, arguments->inputs, &config)
                                    : CheckStagePlaces(arguments->common, arguments->inputs, config);
  }
  ARROW_RETURN_NOT_OK(Complete(&config.index));
  IndexedInputs& index = config.index.reading;
  config.inputs = index.tables;
  ARROW_RETURN_NOT_OK(CheckStagePlaces(arguments->common, config.index.tables, config));
  config.inputs.clear();                             // the tables say them
  if (config.index.is_plan && config.tmp.empty()) {  // the output's folder is not made
    std::error_code error;
    index.tmp = std::filesystem::temp_directory_path(error).string();
    if (error) index.tmp = ".";
  } else {
    ARROW_ASSIGN_OR_RAISE(index.tmp, ChooseTmp(config.tmp, config.output));
  }
  const IndexRowsPlan plan = PlanIndexRows(config.memory_or_half(), needed(config.threads), config.threads);
  index.memory = {plan.sorter, plan.names, plan.reader};
  return arrow::Status::OK();
}

// What reading costs, by docs/cost.md: a machine of 16 virtual cores at its spot price, and requests where somebody
// pays for them.
void AddPrices(const IndexEstimate& estimate, nlohmann::ordered_json* json) {
  constexpr double kCores = 16;
  constexpr double kCoreHour = 0.0225;  // dollars
  constexpr double kNetwork = 0.625e9;  // bytes a second
  constexpr double kPage = 0.38e-3;     // core-seconds of a Japanese page
  constexpr double kLatency = 0.03;     // seconds until an answer begins
  constexpr double kGet = 0.4e-6;       // dollars a request
  const double in_flight = kCores * static_cast<double>(kRangesAhead);
  const double seconds = std::max({static_cast<double>(estimate.read_bytes) / kNetwork,
                                   static_cast<double>(estimate.pages) * kPage / kCores,
                                   static_cast<double>(estimate.requests) * kLatency / in_flight});
  (*json)["minutes"] = seconds / 60;
  (*json)["dollars"] = seconds / 3600 * kCores * kCoreHour;
  (*json)["request_dollars"] = static_cast<double>(estimate.requests) * kGet;
}

std::string PlanText(const nlohmann::ordered_json& summary) {
  const nlohmann::ordered_json json = summary.value("plan", nlohmann::ordered_json::object());
  const auto number = [&json](const char* name) { return json.value(name, int64_t{0}); };
  const int64_t all = number("file_bytes");
  std::string text = fmt::format(
      "plan: {} pages in {} {}, of {} rows of the index ({} were skipped by their statistics)\n"
      "  {} to read in {} requests, {:.2f} % of the files' {}; {} of it are records\n",
      FormatCount(number("pages")), FormatCount(number("files")), number("files") == 1 ? "file" : "files",
      FormatCount(number("table_rows")), FormatCount(number("skipped_rows")), FormatBytes(number("read_bytes")),
      FormatCount(number("requests")),
      all > 0 ? 100 * static_cast<double>(number("read_bytes")) / static_cast<double>(all) : 0.0, FormatBytes(all),
      FormatBytes(number("record_bytes")));
  if (number("duplicates") > 0)
    text += fmt::format("  {} rows name a record again\n", FormatCount(number("duplicates")));
  if (number("missing_files") > 0)
    text += fmt::format("  {} files are missing\n", FormatCount(number("missing_files")));
  if (number("faulty") > 0)
    text += fmt::format("  {} records can't be where the index says\n", FormatCount(number("faulty")));
  return text + fmt::format(
                    "  {:.2g} minutes and ${:.2g} on a machine of 16 cores (docs/cost.md); ${:.2g} for requests, "
                    "where they are paid for\n",
                    json.value("minutes", 0.0), json.value("dollars", 0.0), json.value("request_dollars", 0.0));
}

arrow::Result<int> ShowPlan(const CommonOptions& common, const ExtractConfig& config, const Console& console) {
  ARROW_ASSIGN_OR_RAISE(const IndexPlan plan, MakeIndexPlan(config.index.reading, config.threads));
  ARROW_ASSIGN_OR_RAISE(const IndexEstimate estimate, EstimateReading(plan, config.index.reading.gap, config.threads));
  nlohmann::ordered_json json = {{"stage", "extract"}, {"plan", estimate.ToJson()}};
  AddPrices(estimate, &json["plan"]);
  json["output"] = NameOfOutput(config.output);
  return FinishRun(common, console, std::move(json), PlanText);
}

// What a run says beside its summary.
void TellOf(const ExtractResult& result, const Console& console) {
  if (result.resumed_inputs > 0) {
    console.Info("went on with an unfinished run: " + std::to_string(result.resumed_inputs) + " inputs were done");
  }
  if (const size_t count = result.without_records.size(); count > 0) {
    const std::string others = count > 1 ? " and " + FormatCount(static_cast<int64_t>(count) - 1) + " others" : "";
    console.Warning(result.without_records.front() + others + ": there is no record in " +
                    (count > 1 ? "these files; were they" : "this file; was it") + " downloaded whole?");
  }
}

arrow::Result<int> Run(ExtractArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(CheckWays(arguments->inputs, arguments->config));
  ARROW_RETURN_NOT_OK(Complete(arguments, console));
  const ExtractConfig& config = arguments->config;
  if (config.index.is_plan) return ShowPlan(arguments->common, config, console);
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunExtract(config, [bar](const ExtractProgress& progress) {
          bar->Update(progress.bytes_done, progress.bytes_total, FormatCount(progress.documents) + " documents");
        });
      },
      [&](const ExtractResult& result) {
        TellOf(result, console);
        nlohmann::ordered_json json = result.counts.ToJson();
        json["stage"] = "extract";
        if (result.index_rows) json["index"] = result.index_rows->ToJson();
        json["threads"] = config.threads;
        return json;
      });
}

}  // namespace

Command ExtractCommand() {
  const auto all = WithCommon(DeclaredExtract());
  Command command = WithExamples(
      MakeCommand("extract", "Extract documents from web archives (WARC, WET, ARC)",
                  {"INPUT", "WARC or ARC files, folders or globs; paths, s3://, gs:// or abfs:// URIs", false, true},
                  all, &Run),
      {"uzushio extract pages.warc.gz --output documents", "uzushio extract pages.warc.gz --output main --main-content",
       "uzushio extract '*.warc.gz' --output both --language ja,en --threads 2"});
  return WithCheck(WithMemory(std::move(command), all, &LeastMemory), all, &CheckOptions);
}

}  // namespace uzushio
