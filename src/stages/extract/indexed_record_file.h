// Records of an index in a file, which other machines read than the one that wrote it.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "stages/extract/index_rows.h"

namespace uzushio {

// Some neighbouring records of a file that holds the bytes of records, in the order of their numbers, and nothing else.
// They are meant to be read in order: 1 MiB of them is kept, and of a store that is a request.
class IndexedRecordFile final : public IndexedRecordSource {
 public:
  // The records from the number `begin` on, before `end`. Errors: the file is too short, or holds no whole records.
  static arrow::Result<std::shared_ptr<const IndexedRecordFile>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                                      int64_t begin, int64_t end);

  arrow::Status Read(int64_t first, std::span<IndexedRecord> records) const override;

 private:
  IndexedRecordFile(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t end)
      : file_(std::move(file)), end_(end) {}

  arrow::Status Hold(int64_t first) const;

  const std::shared_ptr<arrow::io::RandomAccessFile> file_;
  const int64_t end_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::vector<IndexedRecord> held_;
  mutable int64_t held_first_ = 0;  // the number of the first of these
};

}  // namespace uzushio
