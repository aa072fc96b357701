// A file, of which a range is in memory.
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace uzushio {

// Reads of the range that is held take no request.
class HeldFile final : public arrow::io::RandomAccessFile {
 public:
  // Without a file, nothing else is there; `size` is what it says of itself.
  HeldFile(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t size) : file_(std::move(file)), size_(size) {}

  const std::shared_ptr<arrow::io::RandomAccessFile>& file() const { return file_; }
  // Holds the bytes from `begin` on, instead of those that were held before. Null: none.
  void Hold(int64_t begin, std::shared_ptr<arrow::Buffer> bytes);

  using RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override;
  arrow::Result<int64_t> GetSize() override { return size_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> Read(int64_t count, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override;
  arrow::Status Close() override { return file_ == nullptr ? arrow::Status::OK() : file_->Close(); }
  bool closed() const override { return file_ != nullptr && file_->closed(); }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t size_;
  int64_t position_ = 0;
  int64_t begin_ = 0;
  std::shared_ptr<arrow::Buffer> bytes_;
};

}  // namespace uzushio
