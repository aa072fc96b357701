// Parquet files of any program, a row group at a time.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/inputs.h"

namespace parquet {
class FileMetaData;
}

namespace uzushio {

inline bool IsParquet(const std::string& name) { return name.ends_with(".parquet"); }

// What the file's footer says. The error names the file.
arrow::Result<std::shared_ptr<parquet::FileMetaData>> ReadParquetMetadata(const InputFile& file);

// The file's columns, as ReadRowGroup gives them.
arrow::Result<std::shared_ptr<arrow::Schema>> ParquetColumns(const parquet::FileMetaData& metadata);

// The place of a column that is no group of others, among the file's; -1: there is none.
int PlaceInParquet(const parquet::FileMetaData& metadata, const std::string& name);

// Reads a row group in batches of at most `batch_rows` rows. `columns` are places in the schema; none: all of them.
arrow::Status ReadRowGroup(const InputFile& file, const std::shared_ptr<parquet::FileMetaData>& metadata, int group,
                           const std::vector<int>& columns, int64_t batch_rows,
                           const std::function<arrow::Status(const arrow::RecordBatch&)>& use);

}  // namespace uzushio
