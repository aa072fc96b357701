#include "datasets/quarantine_writer.h"

#include <arrow/io/compressed.h>
#include <arrow/util/base64.h>
#include <arrow/util/compression.h>

#include <nlohmann/json.hpp>

namespace uzushio {

QuarantineWriter::QuarantineWriter(const std::filesystem::path& folder, const std::string& name,
                                   const std::string& place)
    : folder_(folder), path_(place + name + ".jsonl.gz") {}

arrow::Status QuarantineWriter::Append(const QuarantinedRecord& record) {
  if (compressed_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(file_, HashedFile::Create(folder_ / path_));
    ARROW_ASSIGN_OR_RAISE(const auto codec, arrow::util::Codec::Create(arrow::Compression::GZIP));
    ARROW_ASSIGN_OR_RAISE(compressed_, arrow::io::CompressedOutputStream::Make(codec.get(), file_));
  }
  const nlohmann::ordered_json line = {{"warc", record.warc},
                                       {"offset", record.offset},
                                       {"length", record.length},
                                       {"reason", record.reason},
                                       {"bytes", arrow::util::base64_encode(record.bytes)}};
  const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  ++records_;
  return compressed_->Write(text.data(), static_cast<int64_t>(text.size()));
}

arrow::Status QuarantineWriter::Finish() {
  if (compressed_ == nullptr) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(compressed_->Close());
  return file_->Close();
}

std::optional<WrittenFile> QuarantineWriter::written() const {
  if (file_ == nullptr) return std::nullopt;
  return file_->Written(path_, records_);
}

}  // namespace uzushio
