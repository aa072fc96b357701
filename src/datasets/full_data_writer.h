// Full data: a dataset beside the documents, with all that is known of each page.
#pragma once

#include <arrow/result.h>
#include <arrow/type.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/shard_writer.h"
#include "document/document.h"
#include "document/full_data.h"
#include "storage/hashed_file.h"

namespace uzushio {

inline constexpr const char* kFullDataFolder = ".uzushio/full-data/";

// The columns of a file, in order; docs/formats.md has their meaning. The language is in the path.
std::shared_ptr<arrow::Schema> FullDataSchema();

// Writes the pages of one input: `.uzushio/full-data/language=LL/NAME.pq` (or `.jsonl.gz`, `.jsonl.zst`) for each
// language that occurs, a row for each document, in their order. Row groups, and members of compressed files, depend on
// the rows alone, so that the bytes are the same each time.
class FullDataWriter {
 public:
  // `folder` is the documents dataset's, `name` the files' without ending.
  FullDataWriter(std::filesystem::path folder, std::string name, ShardFormat format);
  ~FullDataWriter();

  arrow::Status Append(const Document& document, const FullData& full);
  // Completes and syncs the files. The writer is not used again.
  arrow::Result<std::vector<WrittenFile>> Finish();

 private:
  class Partition;
  arrow::Status FlushLargest();

  std::filesystem::path folder_;
  std::string name_;
  ShardFormat format_;
  std::map<std::string, std::unique_ptr<Partition>> partitions_;
  size_t buffered_ = 0;
};

}  // namespace uzushio
