#include "io/line_reader.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/io/compressed.h>

#include <utility>

namespace uzushio {
namespace {

constexpr int64_t kBlockBytes = int64_t{1} << 20;

std::string_view Trim(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

arrow::Result<std::optional<std::string_view>> LineReader::Next(bool* cut) {
  if (stream_ == nullptr) ARROW_RETURN_NOT_OK(Open());
  *cut = false;
  offset_ += consumed_;
  block_.remove_prefix(std::exchange(in_block_, 0));
  consumed_ = 0;
  line_.clear();
  while (true) {
    const size_t end = block_.find('\n');
    const std::string_view part = block_.substr(0, end);
    const size_t with_end = part.size() + (end == std::string_view::npos ? 0 : 1);
    consumed_ += static_cast<int64_t>(with_end);
    if (end != std::string_view::npos && line_.empty() && !*cut) {
      in_block_ = with_end;
      return Trim(part);
    }
    if (line_.size() + part.size() > max_bytes_) *cut = true;
    if (!*cut) line_ += part;
    block_.remove_prefix(with_end);
    if (end != std::string_view::npos) return Trim(line_);
    ARROW_ASSIGN_OR_RAISE(buffer_, stream_->Read(kBlockBytes));
    block_ = std::string_view(*buffer_);
    if (block_.empty()) {
      if (consumed_ == 0) return std::nullopt;
      return Trim(line_);
    }
  }
}

arrow::Status LineReader::Open() {
  ARROW_ASSIGN_OR_RAISE(stream_, file_.filesystem->OpenInputStream(file_.path));
  const bool gzip = file_.name.ends_with(".gz");
  if (!gzip && !file_.name.ends_with(".zst")) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(codec_, arrow::util::Codec::Create(gzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD));
  ARROW_ASSIGN_OR_RAISE(stream_, arrow::io::CompressedInputStream::Make(codec_.get(), stream_));
  return arrow::Status::OK();
}

}  // namespace uzushio
