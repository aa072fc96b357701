// Clean data: rows in folders, cut into files.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/hashed_file.h"

namespace uzushio {

enum class ShardFormat { kParquet, kJsonGzip, kJsonZstd, kText };

// Those of tables, as options name them.
extern const std::vector<std::pair<std::string, ShardFormat>> kShardFormats;

// `.parquet`, `.jsonl.gz`, `.jsonl.zst` or `.txt`.
const char* EndingOf(ShardFormat format);
// The same in the folder `.uzushio`.
const char* OwnEndingOf(ShardFormat format);

// How to write plain text: one column alone, with a delimiter behind each of its texts.
struct TextShards {
  std::string column;
  std::string delimiter;
};

// Writes `FOLDER/part-NNNNN.parquet` (or `.jsonl.gz`, `.jsonl.zst`, `.txt`), for each of several folders. What is
// written is a function of the rows alone, not of how they come in batches.
class ShardWriter {
 public:
  // `folders` lie below `root`; "" is the root itself. A file is ended when it has `shard_bytes` or more.
  ShardWriter(std::filesystem::path root, std::vector<std::string> folders, std::shared_ptr<arrow::Schema> schema,
              ShardFormat format, int64_t shard_bytes, TextShards text = {});
  ~ShardWriter();

  // Appends the rows of a batch of the schema.
  arrow::Status Append(size_t folder, const arrow::RecordBatch& batch);
  // Completes and syncs the files: those that have rows, and one without where there are none at all.
  arrow::Result<std::vector<WrittenFile>> Finish();

 private:
  class Folder;
  arrow::Status FlushLargest();

  std::filesystem::path root_;
  std::shared_ptr<arrow::Schema> schema_;
  ShardFormat format_;
  TextShards text_;
  int64_t shard_bytes_;
  std::vector<std::unique_ptr<Folder>> folders_;
  std::vector<WrittenFile> written_;
  int64_t buffered_ = 0;
};

// A name as a folder of a Hive partition: characters that folders or readers would take amiss are written as %XX.
std::string PartitionName(const std::string& value);

}  // namespace uzushio
