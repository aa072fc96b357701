// Archives to records, and lines of indexes.
#include <arrow/io/memory.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "allocations/failing_allocations.h"
#include "base/test_support.h"
#include "warc/archive_test_support.h"
#include "warc/warc_reader.h"

namespace uzushio {
namespace {

// All that the reader gives, with the damaged ones.
arrow::Result<std::string> Records(const std::string& file, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(auto window, InputWindow::Open(std::make_shared<arrow::io::BufferReader>(
                                         std::make_shared<arrow::Buffer>(std::string_view(file)))));
  ARROW_ASSIGN_OR_RAISE(const auto reader, WarcReader::Open(std::move(window), name, kMaxContent, 100));
  std::string records;
  WarcRecord record;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, reader->Next(&record, {}));
    if (!more) return records;
    records += std::to_string(record.offset) + ' ' + std::to_string(record.length) + ' ' + std::string(record.reason);
    if (record.state == WarcRecord::State::kBad) {
      records += record.raw;
    } else {
      records.append(record.headers.Get("WARC-Record-ID")).append(record.content);
    }
  }
}

void ExpectRecords(const std::string& file, const std::string& name) {
  const auto failures = FailEachAllocation([&] { return Records(file, name); });
  EXPECT_GT(failures.told, 5) << name;
}

std::string Plain() {
  std::string damaged = Record("c", "damaged", "999");
  return Record("a", "one") + Record("b", Repeat("two ", 5000)) + damaged + Record("d", Repeat("large", 20000)) +
         Record("e", "last");
}

TEST(Allocations, RecordsOfPlainFiles) { ExpectRecords(Plain(), "a.warc"); }

TEST(Allocations, RecordsOfGzip) {
  ExpectRecords(Gzip(Plain()), "a.warc.gz");
  std::string members = Gzip(Record("a", "one")) + Gzip(Record("b", Repeat("two ", 5000))) + Gzip(Record("c", "three"));
  ExpectRecords(members, "b.warc.gz");
  members[members.size() - 20] ^= 0x55;
  ExpectRecords(members, "c.warc.gz");
}

TEST(Allocations, RecordsOfZstd) {
  ExpectRecords(Zstd(Record("a", "one")) + Zstd(Record("b", Repeat("two ", 5000))), "a.warc.zst");
}

TEST(Allocations, RecordsOfLz4) {
  ExpectRecords(Lz4(Record("a", "one")) + Lz4(Record("b", Repeat("two ", 5000))), "a.warc.lz4");
}

}  // namespace
}  // namespace uzushio
