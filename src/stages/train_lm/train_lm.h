// Makes a language model of texts: Sudachi's tokens, counted by KenLM's lmplz.
#pragma once

#include <arrow/result.h>

#include <functional>
#include <string>
#include <vector>

#include "base/counters.h"
#include "datasets/text_reader.h"
#include "storage/stage_options.h"

namespace uzushio {

struct TrainLmConfig : StageOptions {  // the output is the file of the model
  std::string sudachi;
  TextReaderOptions reader;
  int order = 3;
  std::vector<int> prune;        // of each order: n-grams that occur so often or less are left out
  std::string type = "probing";  // or trie: smaller and slower
};

struct TrainLmResult {
  int64_t documents = 0;
  int64_t paragraphs = 0;
  int64_t tokens = 0;
  int64_t cuts = 0;      // in plain text, where a paragraph was too long
  int64_t bytes = 0;     // of the model
  Counters quarantined;  // texts that are no UTF-8, and lines that can not be read, by reason: they are left out
};

// Each paragraph is a sequence of surfaces, as the filters by perplexity score it. The model is a function of the
// texts alone. It is put in its place when it is whole and on the disk. Errors: something has come to its place
// meanwhile, unless `overwrite`.
arrow::Result<TrainLmResult> TrainLm(const TrainLmConfig& config, const std::function<void(double)>& on_progress);

}  // namespace uzushio
