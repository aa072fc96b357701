// A part of a dataset that one thread reads.
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/inputs.h"

namespace parquet {
class FileMetaData;
}

namespace uzushio {

// Of a batch of documents.
inline constexpr int64_t kMaxBatchRows = 1024;
inline constexpr int64_t kMostBatchBytes = int64_t{2} << 20;  // of texts; a batch ends with the one that passes this

// A row group of Parquet, a whole file of lines, or a part of a text.
struct Split {
  const InputFile* file = nullptr;
  std::shared_ptr<parquet::FileMetaData> metadata;  // null: no Parquet
  int row_group = 0;
  int64_t bytes = 0;  // in the file
  int64_t begin = 0;  // of a part of a text
};

// The splits of a file; without metadata, it is one of lines.
std::vector<Split> SplitsOf(const InputFile& file, const std::shared_ptr<parquet::FileMetaData>& metadata);

// What reading a split returns: an error of who used what was read (`used`) as it is, any other with the file's name.
arrow::Status NamingFile(const InputFile& file, const arrow::Status& read, const arrow::Status& used);

}  // namespace uzushio
