// Records that could not be read, kept for inspection.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "storage/hashed_file.h"
#include "storage/output_names.h"

namespace uzushio {

// One such record.
struct QuarantinedRecord {
  std::string warc;
  int64_t offset = 0;  // as in documents
  int64_t length = 0;
  std::string reason;
  std::string bytes;  // the first MiB of it
};

// Writes `NAME.jsonl.gz`: a JSON object a line with warc, offset, length, reason and bytes (base64). There is no file
// when there is no record.
class QuarantineWriter {
 public:
  // `place` stands before the name, below the folder.
  QuarantineWriter(const std::filesystem::path& folder, const std::string& name,
                   const std::string& place = kQuarantineFolder);

  arrow::Status Append(const QuarantinedRecord& record);
  // Completes and syncs the file.
  arrow::Status Finish();
  // The finished file, or nothing where there was no record.
  std::optional<WrittenFile> written() const;

 private:
  std::filesystem::path folder_;
  std::string path_;  // below the folder
  int64_t records_ = 0;
  std::shared_ptr<HashedFile> file_;
  std::shared_ptr<arrow::io::OutputStream> compressed_;
};

}  // namespace uzushio
