// A local file that is written once, with its checksum.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <string>

namespace uzushio {

// A stream to a new local file that computes the XXH64 (seed 0) of what is written. Close syncs the file.
class HashedFile : public arrow::io::OutputStream {
 public:
  static arrow::Result<std::shared_ptr<HashedFile>> Create(const std::filesystem::path& path);
  // The checksum of the bytes so far, 16 hexadecimal digits.
  virtual std::string xxh64() const = 0;
  // Bytes written.
  virtual int64_t bytes() const = 0;
};

}  // namespace uzushio
