#include "storage/held_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace uzushio {

void HeldFile::Hold(int64_t begin, std::shared_ptr<arrow::Buffer> bytes) {
  begin_ = begin;
  bytes_ = std::move(bytes);
}

arrow::Result<int64_t> HeldFile::ReadAt(int64_t position, int64_t count, void* out) {
  if (bytes_ == nullptr || position < begin_ || position >= begin_ + bytes_->size()) {
    return file_ == nullptr ? 0 : file_->ReadAt(position, count, out);
  }
  count = std::min(count, begin_ + bytes_->size() - position);
  std::memcpy(out, bytes_->data() + (position - begin_), static_cast<size_t>(count));
  return count;
}

arrow::Status HeldFile::Seek(int64_t position) {
  position_ = position;
  return arrow::Status::OK();
}

arrow::Result<int64_t> HeldFile::Read(int64_t count, void* out) {
  ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, count, out));
  position_ += got;
  return got;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> HeldFile::Read(int64_t count) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> buffer, arrow::AllocateResizableBuffer(count));
  ARROW_ASSIGN_OR_RAISE(const int64_t got, Read(count, buffer->mutable_data()));
  ARROW_RETURN_NOT_OK(buffer->Resize(got));
  return buffer;
}

}  // namespace uzushio
