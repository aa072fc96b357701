// A part of a dataset that one thread reads.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/inputs.h"

namespace parquet {
class FileMetaData;
}

namespace uzushio {

// A row group of Parquet, or a whole file of lines.
struct Piece {
  const InputFile* file = nullptr;
  std::shared_ptr<parquet::FileMetaData> metadata;  // null: no Parquet
  int row_group = 0;
  int64_t bytes = 0;  // in the file
};

}  // namespace uzushio
