#include "stages/extract/indexed_record_file.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace uzushio {
namespace {

// So many records, each with its number as its place.
std::vector<IndexedRecord> Numbered(int64_t count) {
  std::vector<IndexedRecord> records(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    records[static_cast<size_t>(i)] = {1, 200, 100 * i, 50, static_cast<uint64_t>(i), 7};
  }
  return records;
}

// A file that counts what is asked of it, and may be cut off after it was opened.
class CountedFile final : public arrow::io::RandomAccessFile {
 public:
  explicit CountedFile(std::string content) : content_(std::move(content)) {}
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<int64_t> Tell() const override { return 0; }
  arrow::Status Seek(int64_t /*position*/) override { return arrow::Status::NotImplemented("Seek"); }
  arrow::Result<int64_t> Read(int64_t /*count*/, void* /*out*/) override {
    return arrow::Status::NotImplemented("Read");
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t /*count*/) override {
    return arrow::Status::NotImplemented("Read");
  }
  arrow::Result<int64_t> GetSize() override { return static_cast<int64_t>(content_.size()); }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override {
    ++reads;
    bytes += count;
    if (is_cut) return 0;
    const std::string_view read = std::string_view(content_).substr(static_cast<size_t>(position));
    return static_cast<int64_t>(read.copy(static_cast<char*>(out), static_cast<size_t>(count)));
  }
  int reads = 0;
  int64_t bytes = 0;
  bool is_cut = false;

 private:
  std::string content_;
};

std::shared_ptr<CountedFile> FileOf(const std::vector<IndexedRecord>& records) {
  return std::make_shared<CountedFile>(
      std::string(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(IndexedRecord)));
}

TEST(IndexedRecordFile, GivesTheRecordsOfATask) {
  const auto all = Numbered(100'000);
  const auto bytes = FileOf(all);
  const auto file = IndexedRecordFile::Open(bytes, 10'000, 90'000).ValueOrDie();
  std::vector<IndexedRecord> block(1024);
  int64_t first = 10'000;
  while (first < 90'000) {
    const auto count = std::min<int64_t>(1024, 90'000 - first);
    block.resize(static_cast<size_t>(count));
    ASSERT_TRUE(file->Read(first, block).ok());
    ASSERT_TRUE(std::ranges::equal(block, std::span(all).subspan(static_cast<size_t>(first), block.size())));
    first += count;
  }
  EXPECT_EQ(bytes->reads, 4);                                                     // of 1 MiB and less
  EXPECT_EQ(bytes->bytes, 80'000 * static_cast<int64_t>(sizeof(IndexedRecord)));  // nothing of others' tasks
}

TEST(IndexedRecordFile, ReadsInAnyOrder) {
  const auto all = Numbered(60'000);
  const auto file = IndexedRecordFile::Open(FileOf(all), 0, 60'000).ValueOrDie();
  for (const int64_t first : {59'990, 0, 26'210, 40'000, 5}) {
    std::vector<IndexedRecord> some(10);
    ASSERT_TRUE(file->Read(first, some).ok());
    EXPECT_EQ(some.front(), all[static_cast<size_t>(first)]);
    EXPECT_EQ(some.back(), all[static_cast<size_t>(first) + 9]);
  }
  EXPECT_TRUE(file->Read(60'000, {}).ok());
}

TEST(IndexedRecordFile, NoticesDamage) {
  const auto damaged = [](const arrow::Status& status) {
    return status.IsIOError() && status.message().find("records of the index are damaged") != std::string::npos;
  };
  EXPECT_TRUE(damaged(IndexedRecordFile::Open(FileOf(Numbered(9)), 0, 10).status()));
  EXPECT_TRUE(damaged(IndexedRecordFile::Open(FileOf(Numbered(9)), 5, 4).status()));
  EXPECT_TRUE(damaged(IndexedRecordFile::Open(FileOf(Numbered(9)), -1, 4).status()));
  EXPECT_TRUE(damaged(IndexedRecordFile::Open(std::make_shared<CountedFile>(std::string(401, 'x')), 0, 10).status()));
  EXPECT_TRUE(IndexedRecordFile::Open(FileOf({}), 0, 0).ok());
  const auto bytes = FileOf(Numbered(10));
  const auto file = IndexedRecordFile::Open(bytes, 0, 10).ValueOrDie();
  std::vector<IndexedRecord> some(5);
  bytes->is_cut = true;
  EXPECT_TRUE(damaged(file->Read(0, some)));
  bytes->is_cut = false;
  EXPECT_TRUE(file->Read(0, some).ok());
  EXPECT_EQ(some, Numbered(5));
  EXPECT_TRUE(file->Read(8, some).IsIndexError());  // of another's task, or of none
}

}  // namespace
}  // namespace uzushio
