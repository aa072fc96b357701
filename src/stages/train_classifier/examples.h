// Labelled examples of a classifier: the lines of words that fastText gets, in a temporary file.
#pragma once

#include <arrow/io/file.h>
#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/counters.h"
#include "lang/gram_table.h"
#include "lm/fasttext_training.h"
#include "stages/train_classifier/train_classifier.h"

namespace uzushio {

// A line of words in the temporary file.
struct LabelledLine {
  uint64_t hash = 0;  // of its words
  int64_t begin = 0;
  uint32_t size = 0;
  int32_t label = 0;
};

// What all documents say.
class LabelledLines {
 public:
  // Reads all inputs, by several threads, and writes their lines to a file in the folder. Errors: those of
  // TrainClassifier; the memory `most_bytes` is not enough for what is kept of lines and of different words.
  static arrow::Result<std::unique_ptr<LabelledLines>> Read(const TrainClassifierConfig& config,
                                                            const std::filesystem::path& folder,
                                                            const std::function<void(double)>& on_progress);

  // In the order of the result's labels.
  const std::vector<std::string>& labels() const { return labels_; }
  // In no order that depends on inputs: by hash, then by label.
  const std::vector<LabelledLine>& training() const { return training_; }
  // In the order of the inputs.
  const std::vector<LabelledLine>& held_out() const { return held_out_; }
  const FastTextVocabulary& vocabulary() const { return vocabulary_; }
  int64_t documents() const { return documents_; }
  const Counters& quarantined() const { return quarantined_; }
  // Bytes of memory for what is known of lines.
  int64_t memory() const;

  // Sets `line` to the words of one, with a space before each.
  arrow::Status ReadLine(const LabelledLine& line, std::string* words) const;

 private:
  friend class LineCollector;
  LabelledLines() = default;

  std::vector<std::string> labels_;
  std::vector<LabelledLine> training_;
  std::vector<LabelledLine> held_out_;
  FastTextVocabulary vocabulary_;
  int64_t documents_ = 0;
  Counters quarantined_;
  std::shared_ptr<arrow::io::ReadableFile> file_;
};

// The examples of each label.
std::vector<LabelCounts> CountLabels(const LabelledLines& lines);

}  // namespace uzushio
