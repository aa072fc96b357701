#include "cli/commands_list.h"

#include <fmt/format.h>

#include <chrono>

#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/common.h"
#include "datasets/dataset.h"
#include "stages/train_lm/train_lm.h"

namespace uzushio {
namespace {

struct TrainLmArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  TrainLmConfig config;
};

arrow::Result<int> Run(TrainLmArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  TrainLmConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(CheckOutputFile(config.output, arguments->common.overwrite));
  config.overwrite = arguments->common.overwrite;
  config.threads = arguments->common.threads;
  config.memory = arguments->common.memory.value_or(DefaultMemory());
  if (config.memory < kLeastTrainMemory)
    return MemoryError("--memory ", SizeText(config.memory), ": ", kLeastTrainMemory >> 20, "MiB are needed");
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kTextSuffixes));
  Places places = PlacesOf(arguments->common, "", arguments->inputs, config.inputs);
  places.files.push_back({"--output", config.output});
  places.others.push_back({"--sudachi", config.sudachi});
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
  ARROW_ASSIGN_OR_RAISE(config.tmp, ChooseTmp(config.tmp, config.output));
  TrainLmResult result;
  {
    ProgressBar bar(arguments->common, console);
    ARROW_ASSIGN_OR_RAISE(result, TrainLm(config, [&bar](double share) { bar.UpdateShare(share, "tokenising"); }));
  }
  nlohmann::ordered_json json = {{"stage", "train-lm"},
                                 {"documents", result.documents},
                                 {"paragraphs", result.paragraphs},
                                 {"tokens", result.tokens},
                                 {"cuts_in_plain_text", result.cuts},
                                 {"bytes", result.bytes},
                                 {"quarantined", result.quarantined.counts()},
                                 {"output", config.output}};
  return FinishRun(arguments->common, console, start, std::move(json), [&](const nlohmann::ordered_json& done) {
    std::string left_out;
    for (const auto& [reason, count] : result.quarantined.counts()) {
      left_out += fmt::format("  {} texts left out: {}\n", FormatCount(count), reason);
    }
    return fmt::format("train-lm: {} tokens in {} paragraphs of {} documents\n{}  a {}-gram model of {}, {:.3g} s, {}",
                       FormatCount(result.tokens), FormatCount(result.paragraphs), FormatCount(result.documents),
                       left_out, config.order, FormatBytes(result.bytes), done["seconds"].get<double>(), config.output);
  });
}

}  // namespace

Command TrainLmCommand() {
  const auto options =
      Options<TrainLmArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.config.output; }, "FILE", "File to create")
          .Required()
          .Path(
              "sudachi", [](auto& all) -> auto& { return all.config.sudachi; }, "FILE", "Sudachi's system dictionary")
          .Required()
          .Integer(
              "order", [](auto& all) -> auto& { return all.config.order; }, 2, 6,
              "Order of the model: length of its longest n-grams")
          .InShortHelp()
          .Integer(
              "prune", [](auto& all) -> auto& { return all.config.prune; }, 0, 1 << 30,
              "For each order, remove n-grams that occur this often or less, such as 0,0,1")
          .SplitAtCommas()
          .Choice(
              "type", [](auto& all) -> auto& { return all.config.type; }, {"probing", "trie"},
              "Data structure of the model: probing is fast, trie is small")
          .InShortHelp()
          .Text(
              "text-column", [](auto& all) -> auto& { return all.config.reader.column; }, "NAME",
              "Column or key of the texts")
          .Path(
              "tmp", [](auto& all) -> auto& { return all.config.tmp; }, "DIR",
              "Folder for temporary data (default: beside the output)")
          .Frontends(kOnCommandLine | kInPython)
          .Flag(
              "allow-incomplete", [](auto& all) -> auto& { return all.config.allow_incomplete; },
              "Also read outputs of unfinished runs")
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  Command command =
      MakeCommand("train-lm", "Train an n-gram language model for the perplexity filters",
                  {"INPUT", "Parquet, JSON Lines or plain text: files, folders or globs; paths or s3://", true, true},
                  options, &Run);
  return NotOnSpark(
      WithExamples(std::move(command),
                   {"uzushio train-lm documents --output news.bin --sudachi system.dic",
                    "uzushio train-lm articles.jsonl --output small.bin --sudachi system.dic --order 3 --type trie"}));
}

}  // namespace uzushio
