// A file of given bytes for tests, which change how some of its reads go.
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace uzushio {

class TestFile : public arrow::io::RandomAccessFile {
 public:
  using RandomAccessFile::ReadAt;
  explicit TestFile(std::string bytes) : file_(arrow::Buffer::FromString(std::move(bytes))) {}

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    return file_.ReadAt(position, count, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    return file_.ReadAt(position, count);
  }
  arrow::Result<int64_t> Read(int64_t count, void* out) override { return file_.Read(count, out); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override { return file_.Read(count); }
  arrow::Result<int64_t> GetSize() override { return file_.GetSize(); }
  arrow::Result<int64_t> Tell() const override { return file_.Tell(); }
  arrow::Status Seek(int64_t position) override { return file_.Seek(position); }
  arrow::Status Close() override { return file_.Close(); }
  bool closed() const override { return file_.closed(); }

 private:
  arrow::io::BufferReader file_;
};

}  // namespace uzushio
