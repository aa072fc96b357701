#include "storage/store_reads.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/mockfs.h>
#include <arrow/io/memory.h>
#include <arrow/util/future.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "storage/test_file.h"

namespace uzushio {
namespace {

// A file of ten bytes, of which some reads fail first.
class BusyFile final : public TestFile {
 public:
  BusyFile(std::string error, int times) : TestFile("0123456789"), error_(std::move(error)), times_(times) {}
  int reads() const { return reads_; }

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    if (reads_++ < times_) return arrow::Status::IOError(error_);
    return TestFile::ReadAt(position, count, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
    if (reads_++ < times_) return arrow::Status::IOError(error_);
    return TestFile::ReadAt(position, count);
  }

 private:
  std::string error_;
  int times_;
  int reads_ = 0;
};

class BusyFileSystem final : public arrow::fs::internal::MockFileSystem {
 public:
  explicit BusyFileSystem(std::shared_ptr<BusyFile> file) : MockFileSystem({}), file_(std::move(file)) {}
  using MockFileSystem::OpenInputFile;
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(const std::string& /*path*/) override {
    return file_;
  }

 private:
  std::shared_ptr<BusyFile> file_;
};

constexpr const char* kHidden =
    "AWS Error INTERNAL_FAILURE during GetObject operation: Failed to flush response stream";

std::shared_ptr<arrow::io::RandomAccessFile> Open(const std::shared_ptr<BusyFile>& file) {
  return WithStoreReads(std::make_shared<BusyFileSystem>(file))->OpenInputFile("a").ValueOrDie();
}

TEST(StoreReads, WhatWasHiddenIsAskedForAgain) {
  const auto busy = std::make_shared<BusyFile>(kHidden, 2);
  const auto file = Open(busy);
  EXPECT_EQ(file->ReadAt(3, 2).ValueOrDie()->ToString(), "34");
  EXPECT_EQ(busy->reads(), 3);
  EXPECT_EQ(file->ReadAsync(file->io_context(), 0, 10).MoveResult().ValueOrDie()->ToString(), "0123456789");
  EXPECT_EQ(busy->reads(), 4);
}

// The pauses before a read is repeated are of the store's making, too.
TEST(StoreReads, AreCounted) {
  const double before = StoreReadSeconds();
  const auto file = Open(std::make_shared<BusyFile>(kHidden, 2));
  EXPECT_EQ(StoreReadSeconds(), before);
  ASSERT_TRUE(file->ReadAt(3, 2).ok());
  const double after = StoreReadSeconds();
  EXPECT_GE(after, before + 0.025 + 0.05);
  EXPECT_EQ(StoreReadSeconds(), after);
}

TEST(StoreReads, OtherErrorsAreTold) {
  const auto busy = std::make_shared<BusyFile>("AWS Error ACCESS_DENIED", 1);
  EXPECT_EQ(Open(busy)->ReadAt(3, 2).status().message(), "AWS Error ACCESS_DENIED");
  EXPECT_EQ(busy->reads(), 1);
}

}  // namespace
}  // namespace uzushio
