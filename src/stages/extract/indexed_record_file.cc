#include "stages/extract/indexed_record_file.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace uzushio {
namespace {

constexpr auto kRecordBytes = static_cast<int64_t>(sizeof(IndexedRecord));
constexpr int64_t kHeldRecords = (int64_t{1} << 20) / kRecordBytes;

}  // namespace

arrow::Result<std::shared_ptr<const IndexedRecordFile>> IndexedRecordFile::Open(
    std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t begin, int64_t end) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (begin < 0 || begin > end || size % kRecordBytes != 0 || end > size / kRecordBytes) {
    return arrow::Status::IOError("the records of the index are damaged: records ", begin, " to ", end,
                                  " are wanted of a file of ", size, " bytes; run this again");
  }
  return std::shared_ptr<const IndexedRecordFile>(new IndexedRecordFile(std::move(file), end));
}

arrow::Status IndexedRecordFile::Read(int64_t first, std::span<IndexedRecord> records) const {
  const std::lock_guard lock(mutex_);
  while (!records.empty()) {
    const int64_t held = static_cast<int64_t>(held_.size());
    if (first < held_first_ || first >= held_first_ + held) {
      ARROW_RETURN_NOT_OK(Hold(first));
      continue;
    }
    const auto from = held_.begin() + (first - held_first_);
    const auto count = std::min<std::ptrdiff_t>(held_.end() - from, static_cast<std::ptrdiff_t>(records.size()));
    std::copy_n(from, count, records.begin());
    records = records.subspan(static_cast<size_t>(count));
    first += count;
  }
  return arrow::Status::OK();
}

arrow::Status IndexedRecordFile::Hold(int64_t first) const {
  const int64_t count = std::min(kHeldRecords, end_ - first);
  if (count <= 0) return arrow::Status::IndexError("record ", first, " of ", end_, "; this is a fault of the program");
  held_.clear();
  std::vector<IndexedRecord> read(static_cast<size_t>(count));
  ARROW_ASSIGN_OR_RAISE(const int64_t got, file_->ReadAt(first * kRecordBytes, count * kRecordBytes, read.data()));
  if (got == count * kRecordBytes) {
    held_ = std::move(read);
    held_first_ = first;
    return arrow::Status::OK();
  }
  return arrow::Status::IOError("the records of the index are damaged: ", got, " bytes of ", count * kRecordBytes);
}

}  // namespace uzushio
