// Documents in plain text.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory_plan.h"
#include "storage/inputs.h"
#include "storage/line_reader.h"

namespace uzushio {

// What documents are parted by where nothing else is said: an empty line.
inline constexpr const char* kEmptyLine = "\n\n";

// Longer documents are bad: columns of texts hold 2 GiB.
inline constexpr size_t kMaxTextDocumentBytes = size_t{3} << 29;

// Whether a file can be read in parts that begin anywhere: each line, or an empty one, ends a document.
bool CanBeReadInParts(const InputFile& file, const std::string& delimiter);

// Reads the documents of a file, or of a part of one: what stands between delimiters, without the line breaks at both
// ends, and empty ones left out. Line ends are \n or \r\n. The file is decompressed by the ending of its name.
class TextDocumentReader {
 public:
  // The parts [begin, end) of a file have each document once. What `memory` has no room for is an error that says how
  // much would do.
  TextDocumentReader(const InputFile& file, std::string delimiter, int64_t begin, int64_t end,
                     const ReaderMemory& memory);

  // The next document, or nothing. Of one that is too long, `too_long` is true, and what comes is a part of it.
  arrow::Result<std::optional<std::string_view>> Next(bool* too_long);
  // Of the last document, in the decompressed file: where it begins, and its bytes; each line end counts as one.
  int64_t offset() const { return document_offset_; }
  int64_t length() const { return length_; }

 private:
  arrow::Status SkipToPart();
  arrow::Result<bool> FillByLines();
  arrow::Result<bool> FillByDelimiter();
  arrow::Status Reserve(size_t held, size_t more);

  LineReader lines_;
  std::string delimiter_;
  int64_t begin_;
  int64_t end_;
  ReaderMemory memory_;
  bool is_first_ = true;
  bool at_end_ = false;
  bool in_line_ = false;  // the last piece did not end its line

  std::string text_;        // of the document at hand; by delimiters, what was read behind it, too
  std::string_view found_;  // in it
  size_t next_ = 0;         // by delimiters: where the next document begins in it
  int64_t base_ = 0;        // and where it begins in the file
  int64_t document_offset_ = 0;
  int64_t length_ = 0;
};

}  // namespace uzushio
