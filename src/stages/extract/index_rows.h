// Rows of a crawl's index that name the records to read, in order of their places.
#pragma once

#include <arrow/result.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "storage/inputs.h"
#include "storage/spill.h"

namespace uzushio {

// What is kept of a row: where the record lies, and what it is checked against. Rows that lack a part of their place
// have offset -1.
struct IndexedRecord {
  uint32_t file = 0;
  int32_t status = 0;  // 0: not known
  int64_t offset = 0;
  int64_t length = 0;
  uint64_t url = 0;     // KeyOfText; 0: not known
  uint64_t digest = 0;  // the same

  auto operator<=>(const IndexedRecord&) const = default;
};
static_assert(sizeof(IndexedRecord) == 40);

// The bytes of a record for sums; what says that it is longer than any record is counted as that, so that they hold.
inline int64_t CountedLength(const IndexedRecord& record) {
  return std::clamp<int64_t>(record.length, 0, int64_t{1} << 32);
}

// A number for a text, 0 for an empty one; those of different texts are equal with a probability of 2^-64.
uint64_t KeyOfText(std::string_view text);

// Which rows are wanted: those that match one value of each list that is not empty.
struct IndexQuery {
  std::vector<std::string> languages;      // the first of content_languages, `jpn`
  std::vector<std::string> any_languages;  // any of them
  std::vector<int64_t> statuses;
  std::vector<std::string> types;  // content_mime_detected, or content_mime_type where that is not known
  std::vector<std::string> hosts;  // with what is below them
  std::vector<std::string> tlds;
  std::optional<int64_t> from;  // fetch_time, in milliseconds since 1970
  std::optional<int64_t> to;    // not itself
};

struct IndexRowCounts {
  int64_t table_rows = 0;  // in all tables
  int64_t skipped = 0;     // of them, in row groups whose statistics rule them out
  int64_t rows = 0;        // that are wanted
  int64_t duplicates = 0;  // of them, that name a record which another row names

  // As summaries have it.
  nlohmann::ordered_json ToJson() const;
};

// Records in an order, by their numbers in it.
class IndexedRecordSource {
 public:
  virtual ~IndexedRecordSource() = default;
  // Reads records from the one of that number on. Several threads may call.
  virtual arrow::Status Read(int64_t first, std::span<IndexedRecord> records) const = 0;
};

// Records that are sorted by file and offset, in memory or in a temporary file.
class IndexedRecords final : public IndexedRecordSource {
 public:
  struct File {
    std::string name;  // as the index has it
    int64_t first = 0;
    int64_t count = 0;
    int64_t bytes = 0;  // of its records
  };
  // In order of names.
  const std::vector<File>& files() const { return files_; }
  const IndexRowCounts& counts() const { return counts_; }
  arrow::Status Read(int64_t first, std::span<IndexedRecord> records) const override;

 private:
  friend class IndexedRecordSorter;
  std::vector<File> files_;
  IndexRowCounts counts_;
  std::vector<IndexedRecord> in_memory_;
  std::unique_ptr<SpillFile> on_disk_;
};

struct IndexMemory {
  int64_t sorter = 0;   // of records that are sorted
  int64_t names = 0;    // of the names of files
  ReaderMemory reader;  // of each thread
};

// Reads Parquet files of Common Crawl's schema: the columns alone that are asked for, and of these what row groups'
// statistics do not rule out. Rows that name one record (file, offset, length, URL) are one. Errors name the file and
// the column: one that is asked for, or part of the place, is missing or of another type; the names of files pass their
// memory.
arrow::Result<std::shared_ptr<const IndexedRecords>> ReadIndexRows(const std::vector<InputFile>& tables,
                                                                   const IndexQuery& query, const IndexMemory& memory,
                                                                   int threads, SpillSpace* space);

}  // namespace uzushio
