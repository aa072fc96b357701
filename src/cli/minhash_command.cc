#include "cli/commands_list.h"

#include <fmt/format.h>

#include <chrono>

#include "base/memory_plan.h"
#include "cli/common.h"
#include "cli/summary.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "stages/minhash/minhash.h"

namespace uzushio {
namespace {

struct MinHashArguments {
  CommonOptions common;
  std::vector<std::string> inputs;
  bool explain = false;
  MinhashConfig config;
};

// The detection curve.
std::string Explanation(const MinhashOptions& options) {
  const SignatureOptions& signature = options.signature;
  std::string text = fmt::format(
      "Two documents are duplicates when one of their {} buckets of {} MinHash values is the same.\n"
      "With Jaccard index s of their sets of {}-grams, that is so with probability 1 - (1 - s^{})^{}:\n\n"
      "     s   found\n",
      signature.buckets, signature.values, signature.ngram, signature.values, signature.buckets);
  for (int percent = 50; percent <= 100; percent += 5) {
    const double similarity = percent / 100.0;
    text += fmt::format("  {:.2f}  {:.4f}\n", similarity, DetectionProbability(signature, similarity));
  }
  if (options.verify) {
    text +=
        fmt::format("\nOf these, pairs whose exact Jaccard index is below {:g} are no duplicates.\n", *options.verify);
  }
  if (options.edit_similarity) {
    text += fmt::format("Nor are those whose edit similarity, in {}, is below {:g}.\n",
                        options.tokens == Tokens::kCharacters ? "characters" : "Sudachi's tokens",
                        *options.edit_similarity);
  }
  if (signature == SignatureOptions() && !options.verify) {
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

arrow::Status Complete(MinHashArguments* arguments) {
  MinhashConfig& config = arguments->config;
  ARROW_RETURN_NOT_OK(uzushio::Complete(&config.options));
  ARROW_RETURN_NOT_OK(CheckMinhash(config));
  ARROW_RETURN_NOT_OK(FindDictionary(&config.options));
  config.overwrite = arguments->common.overwrite;
  config.threads = arguments->common.threads;
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(arguments->common, LeastMemory(*arguments, config.threads)));
  if (arguments->inputs.empty()) return arrow::Status::Invalid("name documents: uzushio minhash INPUT --output DIR");
  ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  if (config.output.empty()) return arrow::Status::Invalid("--output is required: Folder to create");
  Places places = PlacesOf(arguments->common, config.output, arguments->inputs, config.inputs);
  for (const std::string& index : config.against) places.inputs.push_back({"--against", index});
  for (const std::string& index : config.beside) places.inputs.push_back({"--beside", index});
  if (!config.options.sudachi.empty()) places.others.push_back({"--sudachi", config.options.sudachi});
  places.tmp = config.tmp;
  ARROW_RETURN_NOT_OK(CheckPlaces(places));
  ARROW_ASSIGN_OR_RAISE(config.tmp, ChooseTmp(config.tmp, config.output));
  return arrow::Status::OK();
}

arrow::Result<int> Run(MinHashArguments* arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  if (arguments->explain) {
    ARROW_RETURN_NOT_OK(uzushio::Complete(&arguments->config.options));
    ARROW_RETURN_NOT_OK(CheckSignature(arguments->config.options.signature));
    console.Print(Explanation(arguments->config.options));
    return kExitDone;
  }
  ARROW_RETURN_NOT_OK(Complete(arguments));
  const MinhashConfig& config = arguments->config;
  MinhashResult result;
  {
    ProgressBar bar(arguments->common, console);
    ARROW_ASSIGN_OR_RAISE(result, RunMinhash(config, [&bar](const MinhashProgress& progress) {
                            bar.UpdateShare(progress.share, progress.step);
                          }));
  }
  if (result.was_done) console.Info(config.output + ": was complete already; nothing to do");
  nlohmann::ordered_json json = result.counts;
  json["stage"] = "minhash";
  json["spilled_bytes"] = result.spilled_bytes;
  json["files"] = result.files;
  json["bytes_out"] = result.bytes_out;
  json["output"] = config.output;
  return FinishRun(arguments->common, console, start, std::move(json), SummaryText);
}

}  // namespace

Command MinHashCommand() {
  const auto options =
      Options<MinHashArguments>()
          .Path(
              "output", [](auto& all) -> auto& { return all.config.output; }, "DIR", "Folder to create")
          .InShortHelp()
          .With(DeclaredMinhashOptions(), [](auto& all) -> auto& { return all.config.options; })
          .Path(
              "against", [](auto& all) -> auto& { return all.config.against; }, "DIR",
              "Output of an earlier run, whose documents are kept; similar documents are duplicates; may be repeated")
          .InShortHelp()
          .Path(
              "beside", [](auto& all) -> auto& { return all.config.beside; }, "DIR",
              "Output or index of another part of the same corpus, whose documents --keep also compares; may be "
              "repeated")
          .Flag(
              "index-only", [](auto& all) -> auto& { return all.config.index_only; },
              "Write only the index, for --against and --beside")
          .Flag(
              "explain", [](auto& all) -> auto& { return all.explain; },
              "Print the probability of finding duplicates, by their similarity, and exit")
          .Frontends(kOnCommandLine)
          .Path(
              "tmp", [](auto& all) -> auto& { return all.config.tmp; }, "DIR",
              "Folder for temporary data (default: beside the output)")
          .Frontends(kOnCommandLine | kInPython)
          .Flag(
              "allow-incomplete", [](auto& all) -> auto& { return all.config.allow_incomplete; },
              "Also read outputs of unfinished runs")
          .With(CommonOptions::Declared(), [](auto& all) -> auto& { return all.common; });
  return WithMemory(WithExamples(MakeCommand("minhash", "Remove near-duplicate documents",
                                             {"INPUT",
                                              "Documents in Parquet, JSON Lines, or text separated by empty lines: "
                                              "files, folders or globs; paths or s3://",
                                              false, true},
                                             options, &Run),
                                 {"uzushio minhash documents --output distinct",
                                  "uzushio minhash articles.jsonl --output others --against distinct",
                                  "uzushio minhash articles.jsonl --output compared --verify 0.8 --keep longest"}),
                    options, &LeastMemory);
}

}  // namespace uzushio
