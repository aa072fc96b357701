#include <fmt/format.h>

#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "stages/train_lm/train_lm.h"

namespace uzushio {
namespace {

arrow::Result<int> Run(StageArguments<TrainLmConfig>* arguments, const Console& console) {
  TrainLmConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(CheckOutputFile(config.output, config.overwrite, config.tmp));
  config.memory = config.memory_or_half();
  if (config.memory < kLeastTrainMemory)
    return MemoryError("--memory ", SizeText(config.memory), ": ", kLeastTrainMemory >> 20, "MiB are needed");
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kTextSuffixes));
  Places more;
  more.others = {{"--sudachi", config.sudachi}};
  ARROW_RETURN_NOT_OK(ChooseStagePlaces(arguments->common, arguments->inputs, &config, more, OutputKind::kFile));
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return TrainLm(config, [bar](double share) { bar->UpdateShare(share, "tokenising"); });
      },
      [](const TrainLmResult& result) {
        return nlohmann::ordered_json{{"stage", "train-lm"},
                                      {"documents", result.documents},
                                      {"paragraphs", result.paragraphs},
                                      {"tokens", result.tokens},
                                      {"cuts_in_plain_text", result.cuts},
                                      {"bytes", result.bytes},
                                      {"quarantined", result.quarantined.counts()}};
      },
      [&config](const nlohmann::ordered_json& done) {
        const auto number = [&done](const char* key) { return done[key].get<int64_t>(); };
        std::string left_out;
        for (const auto& [reason, count] : done["quarantined"].items()) {
          left_out += fmt::format("  {} texts left out: {}\n", FormatCount(count.get<int64_t>()), reason);
        }
        return fmt::format(
            "train-lm: {} tokens in {} paragraphs of {} documents\n{}  a {}-gram model of {}, {:.3g} s, {}",
            FormatCount(number("tokens")), FormatCount(number("paragraphs")), FormatCount(number("documents")),
            left_out, config.order, FormatBytes(number("bytes")), done["seconds"].get<double>(), config.output);
      });
}

}  // namespace

Command TrainLmCommand() {
  const auto options =
      Options<TrainLmConfig>()
          .With(DeclaredOutputFile())
          .Required()
          .Path("sudachi", &TrainLmConfig::sudachi, "FILE", "Sudachi's system dictionary")
          .Required()
          .Integer("order", &TrainLmConfig::order, 2, 6, "Order of the model: length of its longest n-grams")
          .InShortHelp()
          .Integer("prune", &TrainLmConfig::prune, 0, 1 << 30,
                   "For each order, remove n-grams that occur this often or less, such as 0,0,1")
          .SplitAtCommas()
          .Choice("type", &TrainLmConfig::type, {"probing", "trie"},
                  "Data structure of the model: probing is fast, trie is small")
          .InShortHelp()
          .Text("text-column", Within(&TrainLmConfig::reader, &TextReaderOptions::column), "NAME",
                "Column or key of the texts")
          .With(DeclaredTmp())
          .With(DeclaredAllowIncomplete());
  Command command = MakeCommand(
      "train-lm", "Train an n-gram language model for the perplexity filters",
      {"INPUT", "Parquet, JSON Lines or plain text: files, folders or globs; paths, s3://, gs:// or abfs://", true,
       true},
      WithCommon(options), &Run);
  return NotOnSpark(
      WithExamples(std::move(command),
                   {"uzushio train-lm documents --output news.bin --sudachi system.dic",
                    "uzushio train-lm articles.jsonl --output small.bin --sudachi system.dic --order 3 --type trie"}));
}

}  // namespace uzushio
