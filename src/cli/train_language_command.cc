#include "cli/commands_list.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/common.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "stages/train_language/train_language.h"

namespace uzushio {
namespace {

struct TrainLanguageArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string cost = "1";
  TrainLanguageConfig config;
};

arrow::Result<double> ParseCost(const std::string& text) {
  double cost = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, cost);
  if (error == std::errc() && read == end && std::isfinite(cost) && cost > 0) return cost;
  return arrow::Status::Invalid("--cost ", text, ": give a number above 0");
}

arrow::Status Configure(TrainLanguageArguments* arguments) {
  TrainLanguageConfig& config = arguments->config;
  ARROW_ASSIGN_OR_RAISE(config.cost, ParseCost(arguments->cost));
  ARROW_RETURN_NOT_OK(CheckOutputFile(config.output, arguments->common.overwrite));
  config.overwrite = arguments->common.overwrite;
  config.threads = arguments->common.threads;
  config.memory = arguments->common.memory.value_or(DefaultMemory());
  const int64_t least = kTrainLanguageMemory.With(config.threads) + 32 * kMiB;
  if (config.memory < least) {
    return MemoryError("--memory ", SizeText(config.memory), ": ", least >> 20, "MiB are needed for ", config.threads,
                       config.threads == 1 ? " thread" : " threads");
  }
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  Places places = PlacesOf(arguments->common, "", arguments->inputs, config.inputs);
  places.files.push_back({"--output", config.output});
  return CheckPlaces(places);
}

arrow::Result<int> Run(TrainLanguageArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  ARROW_RETURN_NOT_OK(Configure(arguments));
  const TrainLanguageConfig& config = arguments->config;
  TrainLanguageResult result;
  {
    ProgressBar bar(arguments->common, console);
    ARROW_ASSIGN_OR_RAISE(result, TrainLanguage(config, [&bar](double share) { bar.UpdateShare(share, "learning"); }));
  }
  nlohmann::ordered_json json = {{"stage", "train-language"},   {"texts", result.texts},
                                 {"japanese", result.japanese}, {"distinct_grams", result.distinct_grams},
                                 {"grams", result.grams},       {"right", result.right},
                                 {"bytes", result.bytes},       {"quarantined", result.quarantined.counts()},
                                 {"output", config.output}};
  return FinishRun(arguments->common, console, start, std::move(json), [&](const nlohmann::ordered_json& done) {
    std::string left_out;
    for (const auto& [reason, count] : result.quarantined.counts()) {
      left_out += fmt::format("  {} left out: {}\n", FormatCount(count), reason);
    }
    return fmt::format(
        "train-language: {} texts, {} of them Japanese; {} taken for what they are\n{}  {} n-grams, {}, "
        "{:.3g} s, {}",
        FormatCount(result.texts), FormatCount(result.japanese), FormatCount(result.right), left_out,
        FormatCount(result.grams), FormatBytes(result.bytes), done["seconds"].get<double>(), config.output);
  });
}

}  // namespace

Command TrainLanguageCommand() {
  constexpr int64_t kMostGrams = int64_t{1} << 27;
  const auto options = Options<TrainLanguageArguments>()
                           .Path(
                               "output", [](auto& all) -> auto& { return all.config.output; }, "FILE", "File to create")
                           .Required()
                           .Text(
                               "text-column", [](auto& all) -> auto& { return all.config.text_columns; }, "NAME,…",
                               "Columns or keys of the texts, such as text,title; each is a separate training text")
                           .InShortHelp()
                           .SplitAtCommas()
                           .Text(
                               "label-column", [](auto& all) -> auto& { return all.config.label_column; }, "NAME",
                               "Column or key of the languages: ja, or any other value")
                           .InShortHelp()
                           .Integer(
                               "max-characters", [](auto& all) -> auto& { return all.config.max_characters; }, 1, kAny,
                               "Number of characters used of each text, from its beginning")
                           .Integer(
                               "min-count", [](auto& all) -> auto& { return all.config.min_count; }, 1, INT32_MAX,
                               "Skip n-grams that occur in fewer texts")
                           .Integer(
                               "max-grams", [](auto& all) -> auto& { return all.config.max_grams; }, 1, kMostGrams,
                               "Maximum number of n-grams in the model; those in the most texts are used")
                           .Text(
                               "cost", [](auto& all) -> auto& { return all.cost; }, "X",
                               "Cost of errors relative to large weights: LIBLINEAR's C")
                           .Flag(
                               "allow-incomplete", [](auto& all) -> auto& { return all.config.allow_incomplete; },
                               "Also read outputs of unfinished runs")
                           .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  Command command = MakeCommand("train-language", "Train a model that detects Japanese pages",
                                {"INPUT", "Parquet or JSON Lines: files, folders or globs; paths or s3://", true, true},
                                options, &Run);
  return NotOnSpark(WithExamples(
      std::move(command), {"uzushio train-language labelled.jsonl --output ja.model",
                           "uzushio train-language labelled.jsonl --output titles.model --text-column text,title"}));
}

}  // namespace uzushio
