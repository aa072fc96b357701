// Texts from datasets: Parquet of any program, JSON Lines, plain text.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "datasets/quarantine_writer.h"
#include "datasets/split.h"
#include "storage/inputs.h"

namespace uzushio {

// What datasets of texts are called, for ResolveInputs.
extern const std::vector<std::string_view> kTextSuffixes;

struct TextReaderOptions {
  std::string column = "text";
  size_t max_text_bytes = size_t{1} << 20;  // longer paragraphs of plain text are cut
  ReaderMemory memory = {};                 // of a thread; no bound where it is 0
};

// The splits of the inputs. Errors name the file: no Parquet, or without such a column of texts.
arrow::Result<std::vector<Split>> FindTextSplits(const std::vector<InputFile>& inputs,
                                                 const TextReaderOptions& options);

// Reads a split. `use` gets the text of each document, of a null an empty one; of plain text (`.txt`) each paragraph,
// parted by empty lines, and a paragraph that is too long in pieces: cut at the last line's end that fits or, inside a
// line, between characters. `bad` gets lines that are no JSON, or have no such text. Adds the number of cuts to `cuts`.
// What the memory has no room for is an error that says how much would do.
arrow::Status ReadTexts(const Split& split, const TextReaderOptions& options,
                        const std::function<arrow::Status(std::string_view)>& use,
                        const std::function<arrow::Status(QuarantinedRecord)>& bad, int64_t* cuts);

}  // namespace uzushio
