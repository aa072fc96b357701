// Rows of two corpora that are compared, and those of one name in order: in memory, or in a temporary file if they are
// more than fit.
#pragma once

#include <arrow/result.h>

#include <compare>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "storage/spill.h"

namespace uzushio {

// Where a row lies: in the order of all sources, their splits, and rows.
struct RowPlace {
  uint32_t source = 0;
  uint32_t split = 0;
  int64_t row = 0;
  auto operator<=>(const RowPlace&) const = default;
};

// A row of a source.
struct JoinRow {
  uint64_t hash = 0;  // SampleHash of its name: an id or a URL, or what stands for its text if it has none
  uint64_t more = 0;  // another hash of that
  uint64_t text = 0;  // the hash of its text; 0 of those that only tell where documents were lost
  int64_t characters = 0;
  RowPlace place;
  bool has_name = true;
};

// The numbers that rows are ordered by, one after the other.
inline constexpr uint64_t (*kRowOrder[])(const JoinRow&) = {
    [](const JoinRow& row) { return row.hash; }, [](const JoinRow& row) { return row.more; },
    [](const JoinRow& row) { return row.text; },
    [](const JoinRow& row) { return uint64_t{row.place.source} << 32 | row.place.split; },
    [](const JoinRow& row) { return static_cast<uint64_t>(row.place.row); }};
inline constexpr size_t kNameOrder = 2;  // of these, those that are equal for rows of one name

inline constexpr size_t kLongestHost = 255;  // bytes

// A row in a partition or a file, before the bytes of its host.
struct StoredRow {
  JoinRow row;
  uint64_t host_bytes = 0;
};

// A row with its host.
struct NamedRow {
  JoinRow row;
  std::string_view host;
};

// The row that these bytes begin with, and its size with its host.
struct RowInBytes {
  explicit RowInBytes(std::span<const char> bytes) {
    std::memcpy(&stored, bytes.data(), sizeof stored);
    named = {stored.row, {bytes.data() + sizeof stored, stored.host_bytes}};
  }
  size_t size() const { return sizeof stored + stored.host_bytes; }
  StoredRow stored;
  NamedRow named;
};

// Rows in a temporary file, in the order in which they are appended.
class RowFile {
 public:
  static arrow::Result<std::unique_ptr<RowFile>> Create(SpillSpace* space);
  arrow::Status Append(const NamedRow& row);
  // Must be called before rows are read.
  arrow::Status Flush();

 private:
  friend class RowCursor;
  RowFile(std::unique_ptr<SpillFile> file, SpillSpace* space) : file_(std::move(file)), space_(*space) {}
  std::unique_ptr<SpillFile> file_;
  SpillSpace& space_;
  std::vector<char> buffer_;
};

// Reads rows from the first on.
class RowCursor {
 public:
  explicit RowCursor(std::span<const NamedRow> rows) : rows_(rows) {}
  explicit RowCursor(const RowFile* file) : file_(file->file_.get()) {}
  // The next row, or null after the last. It is valid until the next call.
  arrow::Result<const NamedRow*> Next() {
    if (file_ != nullptr) return NextInFile();
    return at_ < rows_.size() ? &rows_[at_++] : nullptr;
  }

 private:
  arrow::Result<const NamedRow*> NextInFile();

  std::span<const NamedRow> rows_;
  size_t at_ = 0;  // in `rows_`, or in `block_`
  const SpillFile* file_ = nullptr;
  int64_t read_ = 0;  // bytes of the file
  std::vector<char> block_;
  NamedRow row_;
};

}  // namespace uzushio
