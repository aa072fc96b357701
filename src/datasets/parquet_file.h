// Parquet files of any program, a row group at a time.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "datasets/split.h"
#include "storage/inputs.h"

namespace uzushio {

// What Parquet files end with; the second is of those in the hidden folder of an output.
extern const std::vector<std::string_view> kParquetSuffixes;
inline bool IsParquet(const std::string& name) {
  return std::ranges::any_of(kParquetSuffixes, [&name](std::string_view suffix) { return name.ends_with(suffix); });
}

// What the file's footer says. The error names the file.
arrow::Result<std::shared_ptr<parquet::FileMetaData>> ReadParquetMetadata(const InputFile& file);

// The file's columns, as ReadRowGroup gives them.
arrow::Result<std::shared_ptr<arrow::Schema>> ParquetColumns(const parquet::FileMetaData& metadata);

// The place of a column that is no group of others, among the file's; -1: there is none.
int PlaceInParquet(const parquet::FileMetaData& metadata, const std::string& name);

// How a row group is read. Batches are of some MiB at most: rows of 8 MiB come one by one.
struct RowGroupOptions {
  std::vector<int> columns;            // leaves of the schema; of nested ones all comes; none: all columns
  int64_t batch_rows = kMaxBatchRows;  // at most
  ReaderMemory memory;                 // no bound where it is 0
};

// Reads a row group page by page, whatever its size. Where pages, dictionaries or records pass the bound, the error
// says how much memory would do. Asks whether to stop (base/stop.h) before each batch.
arrow::Status ReadRowGroup(const InputFile& file, const std::shared_ptr<parquet::FileMetaData>& metadata, int group,
                           const RowGroupOptions& options,
                           const std::function<arrow::Status(const arrow::RecordBatch&)>& use);

}  // namespace uzushio
