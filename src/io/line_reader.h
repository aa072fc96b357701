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

#include "io/inputs.h"

namespace uzushio {

// Reads lines, decompressed by the ending of the file's name (`.gz`, `.zst`).
class LineReader {
 public:
  LineReader(const InputFile& file, size_t max_bytes) : file_(file), max_bytes_(max_bytes) {}

  // The next line without its end, or nothing. Of a line that is too long the rest is passed over, and `cut` is true.
  arrow::Result<std::optional<std::string_view>> Next(bool* cut);

  // Of the last line, in the decompressed file.
  int64_t offset() const { return offset_; }
  int64_t length() const { return consumed_; }

 private:
  arrow::Status Open();

  const InputFile& file_;
  size_t max_bytes_;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::io::InputStream> stream_;
  std::shared_ptr<arrow::Buffer> buffer_;
  std::string_view block_;  // of buffer_, what is not read yet
  size_t in_block_ = 0;     // bytes of the last line in block_
  std::string line_;        // a line that spans blocks
  int64_t offset_ = 0;
  int64_t consumed_ = 0;
};

}  // namespace uzushio
