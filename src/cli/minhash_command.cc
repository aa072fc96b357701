
#include <fmt/format.h>

#include <utility>

#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "stages/minhash/minhash.h"

namespace uzushio {
namespace {

struct MinHashGiven : MinhashConfig {
  bool explain = false;
};
using MinHashArguments = StageArguments<MinHashGiven>;

// The detection curve.
std::string Explanation(const MinhashOptions& options) {
  const SignatureOptions& signature = options.signature;
  std::string text = fmt::format(
      "Two documents are {} when one of their {} buckets of {} MinHash values is the same.\n"
      "With Jaccard index s of their sets of {}-grams, that is so with probability 1 - (1 - s^{})^{}:\n\n"
      "     s   found\n",
      options.verify ? "compared" : "duplicates", signature.buckets, signature.values, signature.ngram,
      signature.values, signature.buckets);
  for (int percent = 50; percent <= 100; percent += 5) {
    const double similarity = percent / 100.0;
    text += fmt::format("  {:.2f}  {:.4f}\n", similarity, DetectionProbability(signature, similarity));
  }
  if (options.verify) {
    text += fmt::format("\nThey are duplicates if their exact Jaccard index is {:g} or more.\n", *options.verify);
  }
  if (options.edit_similarity) {
    text += fmt::format("Their edit similarity, in {}, has to be {:g} or more, too.\n",
                        options.tokens == Tokens::kCharacters ? "characters" : "Sudachi's tokens",
                        *options.edit_similarity);
  }
  if (signature == SignatureOptions()) {
    text += fmt::format(
        "\nThe paper of the Swallow corpus has 92.5 % for s = 0.9 with these numbers; that is what 20 buckets give "
        "({:.4f}).\n",
        DetectionProbability({.ngram = signature.ngram, .buckets = 20, .values = signature.values}, 0.9));
  }
  return text;
}

int64_t LeastMemory(const MinHashArguments& arguments, int threads) {
  return MinHashMemory(IsHeavy(arguments.config.options)).With(threads);
}

arrow::Status CompleteOptions(MinHashArguments* arguments) {
  MinhashConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(uzushio::Complete(&config.options));
  ARROW_RETURN_NOT_OK(CheckMinhash(config));
  return FindDictionary(&config.options);
}

// Earlier versions compared no texts by default.
nlohmann::json ChangedDefaults(MinhashOptions* options) {
  const GivenOptions& given = options->given;
  nlohmann::json changed = nlohmann::json::object();
  if (given.jaccard || given.skip_verify || !uzushio::Complete(options).ok()) return changed;
  if (!IsHeavy(*options) && !given.skip_edit_similarity) changed["verify"] = *options->verify;
  return changed;
}

arrow::Status Complete(MinHashArguments* arguments) {
  MinhashConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(CompleteOptions(arguments));
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(config, LeastMemory(*arguments, config.threads)));
  if (arguments->inputs.empty()) return arrow::Status::Invalid("name documents: uzushio minhash INPUT --output DIR");
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  if (config.output.empty()) return arrow::Status::Invalid("--output is required: Folder to create");
  Places more;
  for (const std::string& index : config.against) more.inputs.push_back({"--against", index});
  for (const std::string& index : config.beside) more.inputs.push_back({"--beside", index});
  more.others = {{"--sudachi", config.options.sudachi}};
  return ChooseStagePlaces(arguments->common, arguments->inputs, &config, more);
}

arrow::Result<int> Run(MinHashArguments* arguments, const Console& console) {
  MinHashGiven& config = arguments->config;
  if (config.explain) {
    ARROW_RETURN_NOT_OK(uzushio::Complete(&config.options));
    ARROW_RETURN_NOT_OK(CheckSignature(config.options.signature));
    console.Print(Explanation(config.options));
    return kExitDone;
  }
  ARROW_RETURN_NOT_OK(Complete(arguments));
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return RunMinhash(config,
                          [bar](const MinhashProgress& progress) { bar->UpdateShare(progress.share, progress.step); });
      },
      [](const MinhashResult& result) { return CountsOf("minhash", result); });
}

}  // namespace

Command MinHashCommand() {
  const auto options = Options<MinHashGiven>()
                           .With(DeclaredMinhash())
                           .Flag("explain", &MinHashGiven::explain,
                                 "Print the probability of finding duplicates, by their similarity, and exit")
                           .Frontends(kOnCommandLine)
                           .With(DeclaredTmp())
                           .With(DeclaredAllowIncomplete());
  const auto all = WithCommon(options);
  const Positional input = {"INPUT",
                            "Documents in Parquet, JSON Lines, or text separated by empty lines: files, folders or "
                            "globs; paths, s3://, gs:// or abfs://",
                            false, true};
  Command command = WithExamples(MakeCommand("minhash", "Remove near-duplicate documents", input, all, &Run),
                                 {"uzushio minhash documents --output distinct",
                                  "uzushio minhash articles.jsonl --output others --against distinct",
                                  "uzushio minhash articles.jsonl --output compared --verify 0.8 --keep longest"});
  command.changed_defaults = [all](const OptionTexts& given) {
    MinHashArguments arguments;
    const bool is_set = all.Set(given, &arguments).ok();
    return is_set ? ChangedDefaults(&arguments.config.options) : nlohmann::json::object();
  };
  return WithCheck(WithMemory(std::move(command), all, &LeastMemory), all, &CompleteOptions);
}

}  // namespace uzushio
