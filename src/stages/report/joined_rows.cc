#include "stages/report/joined_rows.h"

#include <algorithm>
#include <utility>

namespace uzushio {
namespace {

constexpr size_t kRowBlock = size_t{256} << 10;  // bytes that are written or read at once
constexpr size_t kMostRowBytes = sizeof(StoredRow) + kLongestHost;

}  // namespace

arrow::Result<std::unique_ptr<RowFile>> RowFile::Create(SpillSpace* space) {
  ARROW_ASSIGN_OR_RAISE(auto file, space->NewFile());
  return std::unique_ptr<RowFile>(new RowFile(std::move(file), space));
}

arrow::Status RowFile::Append(const NamedRow& row) {
  if (buffer_.size() + kMostRowBytes > kRowBlock) ARROW_RETURN_NOT_OK(Flush());
  const StoredRow stored = {row.row, row.host.size()};
  const auto* const bytes = reinterpret_cast<const char*>(&stored);
  buffer_.insert(buffer_.end(), bytes, bytes + sizeof stored);
  buffer_.insert(buffer_.end(), row.host.begin(), row.host.end());
  return arrow::Status::OK();
}

arrow::Status RowFile::Flush() {
  ARROW_RETURN_NOT_OK(file_->Write(file_->Extend(buffer_.size()), buffer_));
  space_.Count(static_cast<int64_t>(buffer_.size()));
  buffer_.clear();
  return arrow::Status::OK();
}

arrow::Result<const NamedRow*> RowCursor::NextInFile() {
  if (block_.size() - at_ < kMostRowBytes && read_ < file_->bytes()) {
    block_.erase(block_.begin(), block_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    const size_t left = block_.size();
    const int64_t more = std::min(static_cast<int64_t>(kRowBlock), file_->bytes() - read_);
    block_.resize(left + static_cast<size_t>(more));
    ARROW_RETURN_NOT_OK(file_->Read(read_, std::span(block_).subspan(left)));
    read_ += more;
  }
  if (at_ == block_.size()) return nullptr;
  const RowInBytes row(std::span<const char>(block_).subspan(at_));
  at_ += row.size();
  row_ = row.named;
  return &row_;
}

}  // namespace uzushio
