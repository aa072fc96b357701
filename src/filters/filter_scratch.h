// What a thread works with while filters look at documents.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "document/host.h"
#include "filters/filter_document.h"
#include "lm/language_model.h"
#include "lm/tokenizer.h"
#include "quality/text_quality.h"
#include "quality/word_quality.h"

namespace uzushio {

class RepeatMarks;

// Buffers of one thread that filters work in.
struct FilterScratch {
  std::string text;
  std::u32string points;
  std::string compressed;
  std::vector<uint32_t> numbers;
  std::vector<uint32_t> counts;
  std::vector<double> metrics;
  std::vector<double> sources;  // of them, what a filter goes by
  LmScratch lm;
  Tokenizers tokenizers;
  TextQuality quality;
  WordQuality words;
  Location location;
  HostParts hosts;
  RepeatMarks* repeats = nullptr;
  // A document is not cut into more elements: `too_many` of them would have been made.
  size_t most_elements = std::numeric_limits<size_t>::max();
  size_t too_many = 0;
  arrow::Status failure;  // why the document cannot be measured
};

// The error of a document that a filter could not measure, if there is one; forgets it.
arrow::Status TakeFailure(const FilterDocument& document, FilterScratch* scratch);

}  // namespace uzushio
