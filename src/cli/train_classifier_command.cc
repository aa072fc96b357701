#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/memory_plan.h"
#include "cli/stage_command.h"
#include "datasets/dataset.h"
#include "datasets/row_reader.h"
#include "lm/fasttext_words.h"
#include "stages/train_classifier/train_classifier.h"

namespace uzushio {
namespace {

struct TrainClassifierGiven : TrainClassifierConfig {
  std::vector<std::string> with_label;  // LABEL=INPUT
  std::string held_out_text = "0.1";
  std::string lr_text = "0.1";
};
using TrainClassifierArguments = StageArguments<TrainClassifierGiven>;

arrow::Status ParseNumber(const std::string& option, const std::string& text, double least, double most,
                          const std::string& wanted, double* number) {
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, *number);
  if (error == std::errc() && read == end && *number >= least && *number <= most) return arrow::Status::OK();
  return arrow::Status::Invalid("--", option, " ", text, ": give ", wanted);
}

// What --with-label names, label by label, in the order in which labels come first.
using NamesOfLabels = std::vector<std::pair<std::string, std::vector<std::string>>>;

arrow::Result<NamesOfLabels> ParseLabels(const std::vector<std::string>& given) {
  NamesOfLabels parsed;
  for (const std::string& one : given) {
    const size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == one.size()) {
      return arrow::Status::Invalid("--with-label ", one, ": give LABEL=INPUT, such as high=articles.parquet");
    }
    const std::string label(WithoutFastTextLabel(std::string_view(one).substr(0, equals)));
    const auto same = std::ranges::find_if(parsed, [&label](const auto& pair) { return pair.first == label; });
    auto& names = same != parsed.end() ? *same : parsed.emplace_back(label, std::vector<std::string>());
    names.second.push_back(one.substr(equals + 1));
  }
  return parsed;
}

arrow::Status CheckTraining(const TrainClassifierGiven& config) {
  const FastTextTraining& training = config.training;
  if (training.maxn > 0 && training.minn > training.maxn) {
    return arrow::Status::Invalid("--minn ", training.minn, ": more than --maxn ", training.maxn);
  }
  if (training.minn > 0 && training.maxn == 0) {
    return arrow::Status::Invalid("--minn ", training.minn, ": needs --maxn, the length of the longest n-grams");
  }
  return CheckSudachi(config.form, "--sudachi", "--tokens");
}

arrow::Status Configure(TrainClassifierArguments* arguments) {
  TrainClassifierGiven& config = arguments->config;
  ARROW_RETURN_NOT_OK(ParseNumber("held-out", config.held_out_text, 0, 0.9, "a share from 0 to 0.9", &config.held_out));
  constexpr double kMostRate = 100;
  ARROW_RETURN_NOT_OK(
      ParseNumber("lr", config.lr_text, 1e-6, kMostRate, "a number from 0.000001 to 100", &config.training.lr));
  ARROW_RETURN_NOT_OK(CheckTraining(config));
  ARROW_ASSIGN_OR_RAISE(const NamesOfLabels of_labels, ParseLabels(config.with_label));
  if (arguments->inputs.empty() && of_labels.empty()) {
    return arrow::Status::Invalid("name labelled texts: uzushio train-classifier INPUT, or --with-label LABEL=INPUT");
  }
  ARROW_RETURN_NOT_OK(CheckOutputFile(config.output, config.overwrite, config.tmp));
  ARROW_ASSIGN_OR_RAISE(config.memory, ChooseMemory(config, kLeastTrainLanguageMemory.With(config.threads)));
  std::vector<std::string> named = arguments->inputs;
  if (!arguments->inputs.empty()) {
    ARROW_ASSIGN_OR_RAISE(config.inputs, ResolveInputs(arguments->inputs, kDocumentSuffixes));
  }
  for (const auto& [label, names] : of_labels) {
    named.insert(named.end(), names.begin(), names.end());
    ARROW_ASSIGN_OR_RAISE(auto files, ResolveInputs(names, kDocumentSuffixes));
    config.of_labels.push_back({label, std::move(files)});
  }
  Places more;
  more.others = {{"--sudachi", config.form.sudachi}};
  StageOptions all = config;
  for (const InputsOfLabel& one : config.of_labels) {
    all.inputs.insert(all.inputs.end(), one.inputs.begin(), one.inputs.end());
  }
  ARROW_RETURN_NOT_OK(ChooseStagePlaces(arguments->common, named, &all, more, OutputKind::kFile));
  config.tmp = all.tmp;
  return arrow::Status::OK();
}

std::string NumberOrNone(const nlohmann::ordered_json& value) {
  return value.is_null() ? "-" : fmt::format("{:.3f}", value.get<double>());
}

// The labels in rows, and how probabilities compare with shares.
std::string EvaluationText(const nlohmann::ordered_json& done) {
  const auto& evaluation = done["held_out"];
  size_t width = 5;
  for (const auto& one : evaluation["labels"]) width = std::max(width, one["label"].get<std::string>().size());
  width = std::min<size_t>(width, 40);
  std::string text = fmt::format("  {:{}}  {:>9}  {:>9}  {:>9}  {:>7}  {:>7}  {:>7}  {:>7}  {:>15}\n", "label", width,
                                 "training", "held out", "precision", "recall", "F1", "AUC", "ECE", "best F1 from");
  for (size_t i = 0; i < evaluation["labels"].size(); ++i) {
    const auto& one = evaluation["labels"][i];
    const std::string best =
        one["threshold"].is_null()
            ? "-"
            : fmt::format("{:.3f} at {:.4f}", one["threshold_f1"].get<double>(), one["threshold"].get<double>());
    text += fmt::format(
        "  {:{}}  {:>9}  {:>9}  {:>9}  {:>7}  {:>7}  {:>7}  {:>7}  {:>15}\n", one["label"].get<std::string>(), width,
        FormatCount(done["labels"][i]["training"].get<int64_t>()), FormatCount(one["texts"].get<int64_t>()),
        NumberOrNone(one["precision"]), NumberOrNone(one["recall"]), NumberOrNone(one["f1"]), NumberOrNone(one["auc"]),
        NumberOrNone(one["calibration_error"]), best);
  }
  if (evaluation["texts"].get<int64_t>() == 0) return text;
  text += fmt::format("  accuracy {}, expected calibration error (ECE) {}\n", NumberOrNone(evaluation["accuracy"]),
                      NumberOrNone(evaluation["calibration_error"]));
  std::string probabilities;
  std::string shares;
  std::string counts;
  for (const auto& bin : evaluation["calibration"]) {
    if (bin["texts"].get<int64_t>() == 0) continue;
    probabilities += fmt::format("  {:>7}", NumberOrNone(bin["probability"]));
    shares += fmt::format("  {:>7}", NumberOrNone(bin["share"]));
    counts += fmt::format("  {:>7}", FormatCount(bin["texts"].get<int64_t>()));
  }
  return text + fmt::format("  predicted with     {}\n  right              {}\n  of texts           {}\n",
                            probabilities, shares, counts);
}

// What a reader of the table should know of it.
std::string NotesText(const nlohmann::ordered_json& done) {
  std::string text;
  for (const auto& one : done["held_out"]["labels"]) {
    if (done["held_out"]["texts"].get<int64_t>() == 0 || one["texts"].get<int64_t>() > 0) continue;
    text += fmt::format("  no text of '{}' is held out: give more, a larger --held-out, or --held-out-by document\n",
                        one["label"].get<std::string>());
  }
  if (const auto repeated = done["repeated"].get<int64_t>(); repeated > 0) {
    text += fmt::format("  held out, but in the training, too: {}; remove duplicates before (uzushio minhash)\n",
                        FormatCount(repeated));
  }
  for (const auto& [reason, bad] : done["quarantined"].items()) {
    const bool is_of_types = reason == "other-columns";
    text += fmt::format("  {} left out: {}{}\n", FormatCount(bad.get<int64_t>()), reason,
                        is_of_types ? ", with other columns than the first line, or values of other types; write all "
                                      "labels alike, as texts"
                                    : "");
  }
  return text;
}

nlohmann::ordered_json Told(const TrainClassifierResult& result) {
  int64_t training = 0;
  nlohmann::ordered_json labels = nlohmann::ordered_json::array();
  for (const LabelCounts& one : result.labels) {
    training += one.training;
    labels.push_back({{"label", one.label}, {"training", one.training}, {"held_out", one.held_out}});
  }
  return {{"stage", "train-classifier"},
          {"documents", result.documents},
          {"training", training},
          {"words", result.words},
          {"bytes", result.bytes},
          {"labels", std::move(labels)},
          {"held_out", ToJson(result.evaluation)},
          {"repeated", result.repeated},
          {"quarantined", result.quarantined.counts()}};
}

arrow::Result<int> Run(TrainClassifierArguments* arguments, const Console& console) {
  ARROW_RETURN_NOT_OK(Configure(arguments));
  const TrainClassifierConfig& config = arguments->config;
  return RunStage(
      arguments->common, console, config,
      [&config](ProgressBar* bar) {
        return TrainClassifier(config, [bar](double share, const std::string& step) { bar->UpdateShare(share, step); });
      },
      Told,
      [&config](const nlohmann::ordered_json& done) {
        const auto count = [&done](const char* key) { return FormatCount(done[key].get<int64_t>()); };
        return fmt::format(
            "train-classifier: {} documents, {} examples in training, {} held out\n{}{}  {} words, {}, "
            "{:.3g} s, {}",
            count("documents"), count("training"), FormatCount(done["held_out"]["texts"].get<int64_t>()),
            EvaluationText(done), NotesText(done), count("words"), FormatBytes(done["bytes"].get<int64_t>()),
            done["seconds"].get<double>(), config.output);
      });
}

Options<TrainClassifierGiven> DeclaredForm() {
  const auto form = [](auto member) { return Within(&TrainClassifierGiven::form, member); };
  return Options<TrainClassifierGiven>()
      .Group("What the classifier gets of a text; the parameters of the filter FastText have these names")
      .Choice("unit", &TrainClassifierGiven::unit, {"document", "paragraph"},
              "One example of each document, or of each of its paragraphs")
      .Integer("max-characters", form(&FastTextForm::max_characters), 1, INT32_MAX,
               "Number of characters used of each example, from its beginning")
      .Choice("normalize", form(&FastTextForm::normalize), {"none", "nfkc"}, "Normal form of texts")
      .Flag("lowercase", form(&FastTextForm::lowercase), "Convert texts to lower case, after --normalize")
      .Choice("tokens", form(&FastTextForm::tokens), {"spaces", "characters", "sudachi-A", "sudachi-B", "sudachi-C"},
              "Words: what spaces separate, characters, or Sudachi's tokens")
      .InShortHelp()
      .Path("sudachi", form(&FastTextForm::sudachi), "FILE",
            "Sudachi's system dictionary, for --tokens (default: the one in Python's packages)");
}

Options<TrainClassifierGiven> DeclaredTraining() {
  constexpr int64_t kMostDim = 10'000;
  constexpr int64_t kMostGram = 50;  // that the filter reads
  const auto training = [](auto member) { return Within(&TrainClassifierGiven::training, member); };
  return Options<TrainClassifierGiven>()
      .Group("Parameters of fastText's `supervised`")
      .Integer("dim", training(&FastTextTraining::dim), 1, kMostDim, "Numbers of a vector")
      .Integer("epoch", training(&FastTextTraining::epoch), 1, 10'000, "How often each example is used")
      .InShortHelp()
      .Text("lr", &TrainClassifierGiven::lr_text, "X", "Learning rate at the beginning")
      .InShortHelp()
      .Integer("word-ngrams", training(&FastTextTraining::word_ngrams), 1, kMostGram,
               "Longest n-grams of words; 1: words alone")
      .InShortHelp()
      .Integer("minn", training(&FastTextTraining::minn), 0, kMostGram, "Shortest n-grams of a word's characters")
      .Integer("maxn", training(&FastTextTraining::maxn), 0, kMostGram,
               "Longest n-grams of a word's characters; 0: none")
      .Integer("bucket", training(&FastTextTraining::bucket), 1, 1'000'000'000,
               "Vectors of n-grams, which share them; none without n-grams")
      .Integer("min-count", training(&FastTextTraining::min_count), 1, INT32_MAX,
               "Skip words that occur less often in all texts")
      .Choice("loss", training(&FastTextTraining::loss), {"softmax", "hs", "ova"},
              "softmax, hierarchical softmax (many labels), or one-vs-all (labels independent of each other)");
}

}  // namespace

Command TrainClassifierCommand() {
  const auto options =
      Options<TrainClassifierGiven>()
          .With(DeclaredOutputFile())
          .Required()
          .Text("label-column", &TrainClassifierGiven::label_column, "NAME",
                "Column or key of the labels: texts or whole numbers")
          .InShortHelp()
          .Text("with-label", &TrainClassifierGiven::with_label, "LABEL=INPUT",
                "Inputs whose texts all have this label; may be repeated, with and without INPUT")
          .InShortHelp()
          .Text("text-column", &TrainClassifierGiven::text_column, "NAME", "Column or key of the texts")
          .Text("id-column", &TrainClassifierGiven::id_column, "NAME", "Column or key of the document ids")
          .Text("url-column", &TrainClassifierGiven::url_column, "NAME", "Column or key of the URLs")
          .Text("held-out", &TrainClassifierGiven::held_out_text, "X",
                "Share of documents held out from training, on which the model is tried; 0: none")
          .InShortHelp()
          .Choice("held-out-by", &TrainClassifierGiven::held_out_by, {"host", "document"},
                  "Hold out whole hosts, where there are URLs, or single documents")
          .With(DeclaredForm())
          .With(DeclaredTraining())
          .Group("")
          .With(DeclaredTmp())
          .With(DeclaredAllowIncomplete());
  Command command = MakeCommand(
      "train-classifier", "Train a classifier of texts for the filter FastText",
      {"INPUT", "Labelled texts in Parquet or JSON Lines: files, folders or globs; paths, s3://, gs:// or abfs://",
       false, true},
      WithCommon(options), &Run);
  return NotOnSpark(WithExamples(
      std::move(command),
      {"uzushio train-classifier labelled.jsonl --label-column language --tokens characters --output classes.bin",
       "uzushio train-classifier --with-label good=documents --with-label other=articles.jsonl --held-out-by document "
       "--output good.bin"}));
}

}  // namespace uzushio
