// Makes a model of Japanese text (lang/classifier.h) of texts whose language is known.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/counters.h"
#include "storage/stage_options.h"

namespace uzushio {

struct TrainLanguageConfig : StageOptions {          // the output is the file of the model
  std::vector<std::string> text_columns = {"text"};  // each one's value is a text by itself
  std::string label_column = "language";             // `ja` is Japanese, any other value is not
  int64_t max_characters = 1000;                     // of a text; what is behind them is not looked at
  int64_t min_count = 2;                             // texts that an n-gram has to be in
  int64_t max_grams = 200'000;                       // of all, those in the most texts
  double cost = 1;                                   // LIBLINEAR's C
};

struct TrainLanguageResult {
  int64_t texts = 0;
  int64_t japanese = 0;        // of these
  int64_t distinct_grams = 0;  // in the texts
  int64_t grams = 0;           // in the model
  int64_t right = 0;           // texts that the model takes for what they are
  int64_t bytes = 0;           // of the model
  Counters quarantined;        // rows without a label or no UTF-8, and lines that can not be read, by reason
};

// The model is a function of the texts and their labels, in whatever order and files they come. It is put in its place
// when it is whole and on the disk. Errors: a column is missing; texts of only one kind; what is learnt from has no
// room in the memory; something has come to its place meanwhile, unless `overwrite`.
arrow::Result<TrainLanguageResult> TrainLanguage(const TrainLanguageConfig& config,
                                                 const std::function<void(double)>& on_progress);

}  // namespace uzushio
