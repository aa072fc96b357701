// A window that moves over a file.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>

namespace uzushio {

// Buffered reading with look-ahead of any length and with steps back. Asks whether to stop (base/stop.h) before it
// reads.
class InputWindow {
 public:
  // Takes over the file, which ends where it ends now.
  static arrow::Result<std::unique_ptr<InputWindow>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file);

  // The bytes from the position: at least `want`, fewer only at the end of the file. Valid until the next call.
  arrow::Result<std::string_view> Peek(size_t want);
  // Moves on by `bytes`, which the last Peek showed.
  void Consume(size_t bytes) { begin_ += bytes; }
  // Moves anywhere.
  void Seek(int64_t position);
  // Goes on as if the file began at `begin` and ended at `end`: nothing else of it is read.
  void Limit(int64_t begin, int64_t end);
  // The bytes from `position`, at most `length`, independent of the window.
  arrow::Result<std::string> ReadAt(int64_t position, int64_t length);

  int64_t position() const { return buffer_position_ + static_cast<int64_t>(begin_); }
  int64_t size() const { return size_; }

 private:
  InputWindow(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t size);
  void JumpTo(int64_t position);

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t size_;        // where reading ends
  int64_t file_size_;   // where the file does
  std::string buffer_;  // file bytes [buffer_position_, buffer_position_ + end_)
  int64_t buffer_position_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t most_at_once_;     // bytes
  size_t next_read_bytes_;  // more with each read from one place on
};

}  // namespace uzushio
