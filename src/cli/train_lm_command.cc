#include "cli/train_lm_command.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/memory_plan.h"
#include "base/size.h"
#include "cli/common.h"
#include "storage/local_files.h"
#include "stages/train_lm/train_lm.h"

namespace uzushio {
namespace {

struct TrainLmArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  TrainLmConfig config;
};

// A model is one file; a folder is never replaced.
arrow::Status CheckOutput(const std::string& output, bool overwrite) {
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(output));
  if (is_folder) return arrow::Status::Invalid("--output ", output, ": is a folder; give the name of a file");
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(output));
  if (!there || overwrite) return arrow::Status::OK();
  return arrow::Status::Invalid("--output ", output, ": exists; choose another name, or --overwrite");
}

arrow::Result<int> Run(TrainLmArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  TrainLmConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(CheckOutput(config.output, arguments->common.overwrite));
  config.overwrite = arguments->common.overwrite;
  config.threads = arguments->common.threads;
  config.memory = DefaultMemory();
  if (!arguments->common.memory.empty()) {
    ARROW_ASSIGN_OR_RAISE(config.memory, ParseSize(arguments->common.memory));
  }
  if (config.memory < kLeastTrainMemory)
    return arrow::Status::Invalid("--memory ", arguments->common.memory, ": ", kLeastTrainMemory >> 20,
                                  "MiB are needed");
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

void AddTrainLmCommand(CLI::App* app, CommandRun* run) {
  auto arguments = std::make_shared<TrainLmArguments>();
  TrainLmConfig& config = arguments->config;
  CLI::App* command =
      app->add_subcommand("train-lm", "Texts to an n-gram language model for the filters by perplexity");
  command
      ->add_option("INPUT", arguments->inputs,
                   "Parquet, JSON Lines or plain text: files, folders or globs; paths or s3://")
      ->required();
  command->add_option("--output", config.output, "File to create")->required()->type_name("FILE");
  command->add_option("--sudachi", config.sudachi, "Sudachi's system dictionary")->required()->type_name("FILE");
  command->add_option("--order", config.order, "Longest n-grams")
      ->check(CLI::Range(2, 6))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--prune", config.prune, "Per order: leave out n-grams that occur so often or less, such as 0 0 1")
      ->type_name("N");
  command->add_option("--type", config.type, "Form of the model: probing is fast, trie is small")
      ->check(CLI::IsMember({"probing", "trie"}))
      ->capture_default_str();
  command->add_option("--text-column", config.reader.column, "Column, or key, of the texts")
      ->check(IsText())
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--tmp", config.tmp, "Folder for temporary data (default: beside the output)")->type_name("DIR");
  command->add_flag("--allow-incomplete", config.allow_incomplete, "Read outputs of unfinished runs too");
  arguments->common.AddTo(command);
  command->callback([arguments, run] {
    const Console console(arguments->common, run->hooks);
    const auto result = Run(arguments.get(), console);
    run->exit_code = result.ok() ? *result : Report(console, result.status());
  });
}

}  // namespace uzushio
