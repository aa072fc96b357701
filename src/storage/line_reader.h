// The lines of a file.
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory_plan.h"
#include "storage/inputs.h"

namespace uzushio {

// Reads lines, decompressed by the ending of the file's name (`.gz`, `.zst`). Asks whether to stop (base/stop.h) at
// each block.
class LineReader {
 public:
  // Lines longer than `max_bytes` are too long. Those that are not, but longer than `memory` has room for, are an error
  // that says how much would do.
  // `begin` is where to begin, in a file that is not compressed.
  LineReader(const InputFile& file, size_t max_bytes, const ReaderMemory& memory = {}, int64_t begin = 0)
      : file_(file), max_bytes_(max_bytes), memory_(memory), offset_(begin) {}

  // The next line without its end, or nothing. A line that is too long is passed over: `cut` is true then, and what
  // comes is the line's beginning.
  arrow::Result<std::optional<std::string_view>> Next(bool* cut);
  // The same, but a line that is too long comes in pieces of at most `max_bytes` that end between characters of UTF-8:
  // `cut` is true for all but the last.
  arrow::Result<std::optional<std::string_view>> NextPiece(bool* cut);

  // Of the last line, in the decompressed file.
  int64_t offset() const { return offset_; }
  int64_t length() const { return consumed_; }

 private:
  arrow::Status Open();
  arrow::Result<bool> ReadBlock();
  arrow::Status Begin();
  void Keep(std::string_view part);

  const InputFile& file_;
  size_t max_bytes_;
  ReaderMemory memory_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::io::InputStream> stream_;
  std::shared_ptr<arrow::Buffer> buffer_;
  std::string_view block_;  // of buffer_, what is not read yet
  size_t in_block_ = 0;     // bytes of the last line in block_
  std::string line_;        // a line that spans blocks
  std::string carried_;     // the beginning of the next piece
  int64_t offset_ = 0;
  int64_t consumed_ = 0;
};

}  // namespace uzushio
