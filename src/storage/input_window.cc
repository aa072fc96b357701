#include "storage/input_window.h"

#include <arrow/io/file.h>

#include <algorithm>
#include <cstring>

#include "base/stop.h"

namespace uzushio {
namespace {

// Enough for few system calls; small enough for the second-level cache.
constexpr size_t kReadBytes = size_t{512} << 10;
// Of a store, which takes some 30 ms until it answers and may be paid by the request.
constexpr size_t kStoreReadBytes = size_t{4} << 20;

}  // namespace

InputWindow::InputWindow(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t size)
    : file_(std::move(file)),
      size_(size),
      file_size_(size),
      most_at_once_(dynamic_cast<arrow::io::ReadableFile*>(file_.get()) != nullptr ? kReadBytes : kStoreReadBytes),
      next_read_bytes_(kReadBytes) {}

arrow::Result<std::unique_ptr<InputWindow>> InputWindow::Open(std::shared_ptr<arrow::io::RandomAccessFile> file) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  return std::unique_ptr<InputWindow>(new InputWindow(std::move(file), size));
}

arrow::Result<std::string_view> InputWindow::Peek(size_t want) {
  while (end_ - begin_ < want) {
    ARROW_RETURN_NOT_OK(CheckStop());  // the search for the next record may go through a whole file
    const int64_t from = buffer_position_ + static_cast<int64_t>(end_);
    if (from >= size_) break;
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      buffer_position_ += static_cast<int64_t>(begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    const size_t needed = end_ + std::max(next_read_bytes_, want - end_);
    next_read_bytes_ = std::min(2 * next_read_bytes_, most_at_once_);
    if (buffer_.size() < needed) buffer_.resize(needed);
    const int64_t room = std::min(static_cast<int64_t>(needed - end_), size_ - from);
    ARROW_ASSIGN_OR_RAISE(const int64_t got, file_->ReadAt(from, room, buffer_.data() + end_));
    if (got == 0) {  // the file became shorter while it was read
      size_ = from;
      break;
    }
    end_ += static_cast<size_t>(got);
  }
  return std::string_view(buffer_).substr(begin_, end_ - begin_);
}

void InputWindow::Seek(int64_t position) {
  if (position >= buffer_position_ && position <= buffer_position_ + static_cast<int64_t>(end_)) {
    begin_ = static_cast<size_t>(position - buffer_position_);
    return;
  }
  JumpTo(position);
}

void InputWindow::Limit(int64_t begin, int64_t end) {
  size_ = std::min(end, file_size_);
  JumpTo(begin);
}

void InputWindow::JumpTo(int64_t position) {
  buffer_position_ = position;
  begin_ = end_ = 0;
  next_read_bytes_ = kReadBytes;
}

arrow::Result<std::string> InputWindow::ReadAt(int64_t position, int64_t length) {
  if (position < 0 || position >= size_) return std::string();  // an error on stores
  std::string bytes(static_cast<size_t>(std::clamp<int64_t>(length, 0, std::max<int64_t>(size_ - position, 0))), '\0');
  ARROW_ASSIGN_OR_RAISE(const int64_t got, file_->ReadAt(position, static_cast<int64_t>(bytes.size()), bytes.data()));
  bytes.resize(static_cast<size_t>(got));
  return bytes;
}

}  // namespace uzushio
