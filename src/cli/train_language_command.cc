#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "stages/train_language/train_language.h"

namespace uzushio {
namespace {

struct TrainLanguageGiven : TrainLanguageConfig {
  std::string cost_text = "1";
};
using TrainLanguageArguments = StageArguments<TrainLanguageGiven>;

arrow::Result<double> ParseCost(const std::string& text) {
  double cost = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, cost);
  if (error == std::errc() && read == end && std::isfinite(cost) && cost > 0) return cost;
  return arrow::Status::Invalid("--cost ", text, ": give a number above 0");
}

arrow::Status Configure(TrainLanguageArguments* arguments) {
  TrainLanguageGiven& config = arguments->config;
  ARROW_ASSIGN_OR_RAISE(config.cost, ParseCost(config.cost_text));
  ARROW_RETURN_NOT_OK(CheckOutputFile(config.output, config.overwrite));
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(config, kLeastTrainLanguageMemory.With(config.threads)));
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  return CheckStagePlaces(arguments->common, arguments->inputs, config, {}, OutputKind::kFile);
}

arrow::Result<int> Run(TrainLanguageArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Configure(arguments));
  const TrainLanguageConfig& config = arguments->config;
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return TrainLanguage(config, [bar](double share) { bar->UpdateShare(share, "learning"); });
      },
      [](const TrainLanguageResult& result) {
        return nlohmann::ordered_json{{"stage", "train-language"},   {"texts", result.texts},
                                      {"japanese", result.japanese}, {"distinct_grams", result.distinct_grams},
                                      {"grams", result.grams},       {"right", result.right},
                                      {"bytes", result.bytes},       {"quarantined", result.quarantined.counts()}};
      },
      [&config](const nlohmann::ordered_json& done) {
        const auto count = [&done](const char* key) { return FormatCount(done[key].get<int64_t>()); };
        std::string left_out;
        for (const auto& [reason, bad] : done["quarantined"].items()) {
          left_out += fmt::format("  {} left out: {}\n", FormatCount(bad.get<int64_t>()), reason);
        }
        return fmt::format(
            "train-language: {} texts, {} of them Japanese; {} taken for what they are\n{}  {} n-grams, {}, "
            "{:.3g} s, {}",
            count("texts"), count("japanese"), count("right"), left_out, count("grams"),
            FormatBytes(done["bytes"].get<int64_t>()), done["seconds"].get<double>(), config.output);
      });
}

}  // namespace

Command TrainLanguageCommand() {
  constexpr int64_t kMostGrams = int64_t{1} << 27;
  const auto options =
      Options<TrainLanguageGiven>()
          .With(DeclaredOutputFile())
          .Required()
          .Text("text-column", &TrainLanguageGiven::text_columns, "NAME,…",
                "Columns or keys of the texts, such as text,title; each is a separate training text")
          .InShortHelp()
          .SplitAtCommas()
          .Text("label-column", &TrainLanguageGiven::label_column, "NAME",
                "Column or key of the languages: ja, or any other value")
          .InShortHelp()
          .Integer("max-characters", &TrainLanguageGiven::max_characters, 1, kAny,
                   "Number of characters used of each text, from its beginning")
          .Integer("min-count", &TrainLanguageGiven::min_count, 1, INT32_MAX, "Skip n-grams that occur in fewer texts")
          .Integer("max-grams", &TrainLanguageGiven::max_grams, 1, kMostGrams,
                   "Maximum number of n-grams in the model; those in the most texts are used")
          .Text("cost", &TrainLanguageGiven::cost_text, "X", "Cost of errors relative to large weights: LIBLINEAR's C")
          .With(DeclaredAllowIncomplete());
  Command command = MakeCommand(
      "train-language", "Train a model that detects Japanese pages",
      {"INPUT", "Parquet or JSON Lines: files, folders or globs; paths, s3://, gs:// or abfs://", true, true},
      WithCommon(options), &Run);
  return NotOnSpark(WithExamples(
      std::move(command), {"uzushio train-language labelled.jsonl --output ja.model",
                           "uzushio train-language labelled.jsonl --output titles.model --text-column text,title"}));
}

}  // namespace uzushio
