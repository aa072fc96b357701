// A local file that is written once, with its checksum.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace uzushio {

// A file that was written: its path below the dataset's folder, rows, bytes, and XXH64 (seed 0) of the bytes in hex. Of
// Parquet files whose pages have checksums, also the XXH64 of the footer: all that readers take from the file is under
// one of these then, without reading it twice.
struct WrittenFile {
  std::string path;
  int64_t rows = 0;
  int64_t bytes = 0;
  std::string xxh64;
  std::string footer_xxh64;  // empty where there is none
};

// As a manifest lists it.
void to_json(nlohmann::json& json, const WrittenFile& file);

// The files that `json["files"]` lists; none where there is no such key. What rows and checksums are not told (Spark
// tells neither) are 0 and empty. Errors: it is no such list, or has a path twice or none below the folder.
arrow::Result<std::vector<WrittenFile>> ReadWrittenFiles(const nlohmann::json& json);

// The XXH64 (seed 0) of a local file's bytes, in 16 hexadecimal digits.
arrow::Result<std::string> ChecksumOfFile(const std::filesystem::path& path);

// Reads a file below `folder` again: whether it has the size and, where one is told, the checksum. The error says what
// differs.
arrow::Status CheckWrittenFile(const std::filesystem::path& folder, const WrittenFile& file);

// Whether the file below `folder` has the size and, where one is told, the footer that was written.
arrow::Status CheckFooter(const std::filesystem::path& folder, const WrittenFile& file);

// A stream to a new local file that computes the XXH64 (seed 0) of what is written. Close syncs the file.
class HashedFile : public arrow::io::OutputStream {
 public:
  static arrow::Result<std::shared_ptr<HashedFile>> Create(const std::filesystem::path& path);
  // The checksum of the bytes so far, 16 hexadecimal digits.
  virtual std::string xxh64() const = 0;
  // Of a Parquet file that is closed, the checksum of its footer; empty of others.
  virtual std::string footer_xxh64() const = 0;
  // Bytes written.
  virtual int64_t bytes() const = 0;
  WrittenFile Written(std::string path, int64_t rows) const {
    return {std::move(path), rows, bytes(), xxh64(), footer_xxh64()};
  }
};

}  // namespace uzushio
