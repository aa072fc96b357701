// Makes a classifier that the filter FastText reads of labelled documents or paragraphs.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/counters.h"
#include "datasets/columns.h"
#include "lm/fasttext_training.h"
#include "lm/fasttext_words.h"
#include "stages/train_classifier/evaluation.h"
#include "storage/stage_options.h"

namespace uzushio {

// Inputs all of whose documents have one label.
struct InputsOfLabel {
  std::string label;
  std::vector<InputFile> inputs;
};

struct TrainClassifierConfig : StageOptions {  // the output is the file of the model
  std::vector<InputsOfLabel> of_labels;        // beside `inputs`, whose documents say their labels themselves
  std::string label_column = "label";
  std::string text_column = "text";
  std::string id_column = kUsualIdColumn;
  std::string url_column = kUsualUrlColumn;
  std::string unit = "document";  // or paragraph: each is an example with the label of its document
  FastTextForm form;
  FastTextTraining training;
  double held_out = 0.1;             // share of documents that the model is not trained on, but tried on
  std::string held_out_by = "host";  // or document
};

struct LabelCounts {
  std::string label;
  int64_t training = 0;  // examples
  int64_t held_out = 0;
};

struct TrainClassifierResult {
  int64_t documents = 0;
  int64_t words = 0;                // different ones, of the model
  int64_t repeated = 0;             // examples held out whose words, all of them, are an example of the training, too
  int64_t bytes = 0;                // of the model
  std::vector<LabelCounts> labels;  // numbers by their size, then the others
  ClassifierEvaluation evaluation;  // of what was held out
  Counters quarantined;             // documents without a label, text or UTF-8, and lines that can not be read
};

// Which part a document is of goes by a hash of its host, or of its id where there is no host or `held_out_by` is
// document, or of its text where it has no id. The model is a function of the examples and the parameters, in whatever
// order and files they come: examples are shuffled by hashes of their words, and fastText trains in one thread. It is
// put in its place when it is whole and on the disk. Errors: a column is missing; a label can not be one, has no
// example to train on, or is the only one; what is learnt from has no room in the memory; numbers grow beyond bounds;
// something has come to its place meanwhile, unless `overwrite`.
arrow::Result<TrainClassifierResult> TrainClassifier(
    const TrainClassifierConfig& config, const std::function<void(double share, const std::string& step)>& on_progress);

}  // namespace uzushio
