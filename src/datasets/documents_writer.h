// The documents dataset: Parquet files, Hive-partitioned by language.
#pragma once

#include <arrow/result.h>
#include <arrow/type.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "document/document.h"
#include "storage/hashed_file.h"

namespace uzushio {

// The columns of a documents file, in order; all not null. The language is in the path.
std::shared_ptr<arrow::Schema> DocumentsSchema();

// Writes the documents of one input: `language=LL/NAME.parquet` for each language that occurs. Row groups depend on
// the documents alone, so that the bytes are the same each time.
class DocumentsWriter {
 public:
  // `folder` is the dataset's, `name` the files' without ending.
  DocumentsWriter(std::filesystem::path folder, std::string name);
  ~DocumentsWriter();

  arrow::Status Append(const Document& document);
  // Completes and syncs the files. The writer is not used again.
  arrow::Result<std::vector<WrittenFile>> Finish();

 private:
  class Partition;
  arrow::Status FlushLargest();

  std::filesystem::path folder_;
  std::string name_;
  std::map<std::string, std::unique_ptr<Partition>> partitions_;
  size_t buffered_ = 0;
};

}  // namespace uzushio
