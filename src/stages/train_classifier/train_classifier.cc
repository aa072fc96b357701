#include "stages/train_classifier/train_classifier.h"

#include <arrow/io/file.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/memory.h"
#include "base/memory_error.h"
#include "base/memory_plan.h"
#include "base/size.h"
#include "base/stop.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "lm/fasttext.h"
#include "stages/train_classifier/examples.h"
#include "storage/local_files.h"
#include "storage/spill.h"
#include "storage/temporary_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// Shares of the progress.
constexpr double kRead = 0.2;
constexpr double kTrained = 0.95;

std::vector<InputFile> AllInputs(const TrainClassifierConfig& config) {
  std::vector<InputFile> all = config.inputs;
  for (const InputsOfLabel& one : config.of_labels) all.insert(all.end(), one.inputs.begin(), one.inputs.end());
  return all;
}

// Lines of JSON have the columns and types of the first: of labels that are numbers here and texts there, the others
// are lost.
std::string AboutOtherTypes(const Counters& quarantined) {
  const auto others = quarantined.counts().find("other-columns");
  if (others == quarantined.counts().end()) return {};
  return fmt::format(
      ". {} records were left out, as they have other columns than the first, or a value of another "
      "type, as a label may be; write all labels alike, as texts",
      others->second);
}

// Errors: there is no label to tell from another.
arrow::Status CheckLabels(const TrainClassifierConfig& config, const std::vector<LabelCounts>& labels,
                          const Counters& quarantined) {
  const std::string others = AboutOtherTypes(quarantined);
  for (const InputsOfLabel& one : config.of_labels) {
    if (std::ranges::find(labels, one.label, &LabelCounts::label) != labels.end()) continue;
    return arrow::Status::Invalid("--with-label ", one.label, ": there is no text in its inputs");
  }
  if (labels.empty()) {
    return arrow::Status::Invalid(
        "there is no text with a label in the inputs; --label-column and --text-column name "
        "their columns",
        others);
  }
  if (labels.size() == 1) {
    return arrow::Status::Invalid("all texts have the label '", labels.front().label, "', and a classifier tells two ",
                                  "or more apart; add texts of another, by --with-label LABEL=INPUT or in the column",
                                  others);
  }
  for (const LabelCounts& one : labels) {
    if (one.training > 0) continue;
    const bool by_host = config.held_out_by == "host";
    return arrow::Status::Invalid("label '", one.label, "': none of its ", one.held_out,
                                  one.held_out == 1 ? " example" : " examples",
                                  " is left to train on, as all are held out; ",
                                  by_host ? "hosts are held out whole: give --held-out-by document, or " : "give ",
                                  "more texts of it, or another --held-out");
  }
  return arrow::Status::OK();
}

arrow::Status CheckVocabulary(const TrainClassifierConfig& config, const LabelledLines& lines) {
  const FastTextVocabulary& vocabulary = lines.vocabulary();
  if (vocabulary.kept == 0 && config.training.buckets() == 0) {
    return arrow::Status::Invalid("--min-count ", config.training.min_count, ": no word occurs so often; lower it, or ",
                                  "cut texts into shorter words by --tokens");
  }
  const int64_t needed =
      kTrainLanguageMemory.process + lines.memory() + FastTextTrainingMemory(config.training, vocabulary);
  if (needed <= config.memory) return arrow::Status::OK();
  return MemoryError("--memory ", SizeText(config.memory), ": fastText needs ", (needed + kMiB - 1) / kMiB, "MiB for ",
                     vocabulary.distinct, " words and ", config.training.buckets(), " n-grams of ", config.training.dim,
                     " numbers each; lower --bucket or --dim, cut texts into fewer words by "
                     "--tokens, or give it");
}

// In the order in which fastText gets them.
arrow::Status WriteTrainingLines(const LabelledLines& lines, arrow::io::OutputStream* file) {
  constexpr size_t kBlock = size_t{1} << 20;
  std::string block;
  std::string words;
  for (const LabelledLine& line : lines.training()) {
    ARROW_RETURN_NOT_OK(lines.ReadLine(line, &words));
    block += kFastTextLabel;
    block += lines.labels()[static_cast<size_t>(line.label)];
    block += words;
    block += '\n';
    if (block.size() < kBlock) continue;
    ARROW_RETURN_NOT_OK(CheckStop());
    ARROW_RETURN_NOT_OK(file->Write(block));
    block.clear();
  }
  ARROW_RETURN_NOT_OK(file->Write(block));
  return file->Close();
}

// Of the lines that were held out.
arrow::Status TryOut(const TrainClassifierConfig& config, const LabelledLines& lines, const FastTextModel& model,
                     const std::function<void(double)>& on_progress, ClassifierEvaluation* evaluation) {
  const auto texts = static_cast<int64_t>(lines.held_out().size());
  const auto labels = static_cast<int64_t>(lines.labels().size());
  const int64_t needed =
      kTrainLanguageMemory.process + lines.memory() + model.memory() + EvaluationMemory(texts, labels);
  if (needed > config.memory) {
    return MemoryError("--memory ", SizeText(config.memory), ": there is no room to try the model on ", texts,
                       " texts that are held out; lower --held-out, or give ", (needed + kMiB - 1) / kMiB, "MiB");
  }
  std::vector<size_t> places;  // of labels in the model
  for (const std::string& label : lines.labels()) {
    const auto place = model.FindLabel(std::string(kFastTextLabel) + label);
    if (!place) return arrow::Status::UnknownError("the model has no label '", label, "'");
    places.push_back(*place);
  }
  std::vector<int32_t> truth;
  std::vector<float> probabilities;
  truth.reserve(static_cast<size_t>(texts));
  probabilities.reserve(static_cast<size_t>(texts * labels));
  std::string words;
  std::vector<float> scores;
  for (const LabelledLine& line : lines.held_out()) {
    constexpr size_t kOften = 256;
    if (truth.size() % kOften == 0) {
      ARROW_RETURN_NOT_OK(CheckStop());
      on_progress(static_cast<double>(truth.size()) / static_cast<double>(texts));
    }
    ARROW_RETURN_NOT_OK(lines.ReadLine(line, &words));
    ARROW_RETURN_NOT_OK(model.Score(words, &scores));
    truth.push_back(line.label);
    for (const size_t place : places) probabilities.push_back(scores[place]);
  }
  *evaluation = Evaluate(lines.labels(), truth, probabilities);
  return arrow::Status::OK();
}

// Lines that are held out and are lines of the training, too.
int64_t CountRepeated(const LabelledLines& lines) {
  return std::ranges::count_if(lines.held_out(), [&lines](const LabelledLine& line) {
    return std::ranges::binary_search(lines.training(), line.hash, {}, &LabelledLine::hash);
  });
}

}  // namespace

arrow::Result<TrainClassifierResult> TrainClassifier(
    const TrainClassifierConfig& config,
    const std::function<void(double share, const std::string& step)>& on_progress) {
  const std::vector<InputFile> inputs = AllInputs(config);
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(inputs, config.allow_incomplete, config.threads, &forms));
  ARROW_ASSIGN_OR_RAISE(const fs::path output, AbsolutePath(config.output));
  ARROW_RETURN_NOT_OK(MakeFolder(output.parent_path()));
  const std::string name = "." + output.filename().string();
  ARROW_ASSIGN_OR_RAISE(const auto tmp, TemporaryFolder::MakeAfterKilled(fs::path(config.tmp) / name));
  ARROW_ASSIGN_OR_RAISE(const auto beside, TemporaryFolder::MakeAfterKilled(output.parent_path() / name));

  ARROW_ASSIGN_OR_RAISE(const auto lines, LabelledLines::Read(config, tmp->path(), [&](double share) {
                          on_progress(kRead * share, "reading");
                        }));
  TrainClassifierResult result;
  result.labels = CountLabels(*lines);
  ARROW_RETURN_NOT_OK(CheckLabels(config, result.labels, lines->quarantined()));
  ARROW_RETURN_NOT_OK(CheckVocabulary(config, *lines));
  ReturnFreedMemory();
  result.documents = lines->documents();
  result.words = lines->vocabulary().kept;
  result.repeated = CountRepeated(*lines);
  result.quarantined.Add(lines->quarantined());

  const std::string training = tmp->path() / "training";
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::FileOutputStream::Open(training));
  const arrow::Status wrote = WriteTrainingLines(*lines, file.get());
  if (!wrote.ok()) return SpillError(config.tmp, wrote);
  const std::string made = beside->path() / "model";
  ARROW_RETURN_NOT_OK(TrainFastText(config.training, training, made, [&](double share) {
    on_progress(kRead + (kTrained - kRead) * share, "training");
  }));
  ReturnFreedMemory();
  ARROW_ASSIGN_OR_RAISE(const auto model, FastTextModel::Open(made));
  ARROW_RETURN_NOT_OK(TryOut(
      config, *lines, *model, [&](double share) { on_progress(kTrained + (1 - kTrained) * share, "trying it"); },
      &result.evaluation));
  std::error_code error;
  result.bytes = static_cast<int64_t>(fs::file_size(made, error));
  if (error) return arrow::Status::IOError("cannot look at ", made, ": ", error.message());
  ARROW_RETURN_NOT_OK(CheckUnchanged(inputs));
  ARROW_RETURN_NOT_OK(PutInPlace(made, output, config.overwrite));
  return result;
}

}  // namespace uzushio
