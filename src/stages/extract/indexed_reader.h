// The records of a file that an index names.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/util/future.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "html/limits.h"
#include "stages/extract/index_rows.h"
#include "storage/byte_ranges.h"
#include "storage/held_file.h"
#include "storage/inputs.h"
#include "warc/warc_reader.h"

namespace uzushio {

// Bytes of a range that is read at once. A record that is longer is read piece by piece.
inline constexpr int64_t kMostRange = int64_t{1} << 20;
// Requests of a file that are on their way.
inline constexpr size_t kRangesAhead = 4;

// What reading the records of a file takes; a function of the records and the limits alone.
struct RangeCounts {
  int64_t ranges = 0;
  int64_t bytes = 0;
};

// Lets as many requests be on their way as that many files have: Arrow's threads for reading, eight by default, wait
// for an answer each, and file systems of S3 that are made later have as many connections.
arrow::Status AllowRangesOf(int files);

// Some neighbouring records, and the range that holds those of them that can be read.
struct RecordGroup {
  std::vector<IndexedRecord> records;
  ByteRange range;
};

// Puts a file's records into groups.
class RecordGroups {
 public:
  // `size` is that of the file; -1: there is none.
  RecordGroups(const IndexedRecordSource& index, const IndexedRecords::File& file, int64_t size, int64_t gap)
      : index_(index), next_(file.first), end_(file.first + file.count), size_(size), limits_{gap, kMostRange} {}

  // False: there are no more.
  arrow::Result<bool> Next(RecordGroup* group);

 private:
  const IndexedRecordSource& index_;
  int64_t next_;
  int64_t end_;
  int64_t size_;
  MergeLimits limits_;
  std::vector<IndexedRecord> block_;
  size_t at_ = 0;
};

// Why a record can not be in a file of that size (-1: there is none), or empty.
std::string_view PlaceFault(const IndexedRecord& record, int64_t size);

class IndexedReader final : public RecordReader {
 public:
  // `size` is the file's; `file` is null and `size` -1 where there is none.
  static arrow::Result<std::unique_ptr<IndexedReader>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                            int64_t size, const std::string& name,
                                                            std::shared_ptr<const IndexedRecordSource> index,
                                                            const IndexedRecords::File& of, int64_t gap,
                                                            const PageLimits& limits);

  // Records are in order of their places. What is not as the index says is kBad, with the index's place: reasons
  // `index-file`, `index-offset`, `index-length`, `index-url`, `index-status`, `index-digest`, and those of WarcReader,
  // whose limit of inflation is that of all records together, however often the index names one.
  arrow::Result<bool> Next(WarcRecord* record, std::span<char> room) override;

  // Of the records' bytes.
  int64_t file_position() const override { return done_bytes_; }
  int64_t file_size() const override { return all_bytes_; }
  int64_t decoded_bytes() const override { return decoded_; }
  int64_t bytes_read() const override { return counts_.bytes; }
  int64_t requests() const override { return counts_.ranges; }

 private:
  struct Ahead {
    RecordGroup group;
    arrow::Future<std::shared_ptr<arrow::Buffer>> bytes;  // invalid where the range is read piece by piece
  };

  IndexedReader(std::shared_ptr<const IndexedRecordSource> index, const IndexedRecords::File& of, int64_t size,
                int64_t gap)
      : index_(std::move(index)), size_(size), all_bytes_(of.bytes), groups_(*index_, of, size, gap) {}

  arrow::Status FillAhead();
  arrow::Result<bool> NextGroup();
  arrow::Status ReadRecord(const IndexedRecord& wanted, WarcRecord* record, std::span<char> room);
  arrow::Status MakeBad(const IndexedRecord& wanted, std::string_view reason, WarcRecord* record);
  std::string_view Mismatch(const IndexedRecord& wanted, const WarcRecord& record);

  std::shared_ptr<const IndexedRecordSource> index_;
  int64_t size_;
  int64_t all_bytes_;
  RecordGroups groups_;
  std::shared_ptr<HeldFile> window_;
  std::unique_ptr<WarcReader> warc_;
  std::deque<Ahead> ahead_;
  bool no_more_ = false;
  RecordGroup group_;
  size_t at_ = 0;
  int64_t kept_end_ = 0;  // up to where bytes of bad records were kept
  int64_t done_bytes_ = 0;
  int64_t decoded_ = 0;
  int64_t all_decoded_ = 0;  // of damaged records, too
  int64_t most_decoded_ = 0;
  RangeCounts counts_;
};

// Opens an archive where it is, for the records that an index names: without its path, or where no file is, they are
// all bad. `opened` is set to the file as it is now; where there is none, it stays as it is.
arrow::Result<std::unique_ptr<IndexedReader>> OpenByIndex(const InputFile& archive,
                                                          std::shared_ptr<const IndexedRecordSource> index,
                                                          const IndexedRecords::File& of, int64_t gap,
                                                          const PageLimits& limits, InputFile* opened);

}  // namespace uzushio
