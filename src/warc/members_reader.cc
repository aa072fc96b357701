#include "warc/members_reader.h"

#include <arrow/buffer.h>

#include <utility>

namespace uzushio {

arrow::Status MembersReader::Begin(std::string_view members, int64_t position) {
  begin_ = position;
  end_ = position + static_cast<int64_t>(members.size());
  place_ = {position, 0, ArchiveFormat::kWarc};
  file_->Hold(position, std::make_shared<arrow::Buffer>(members));
  if (reader_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto window, InputWindow::Open(file_));
    reader_ = WarcReader::OpenGzip(std::move(window), max_content_, max_inflation_);
  }
  reader_->Restart(begin_, end_);
  return arrow::Status::OK();
}

arrow::Result<bool> MembersReader::Next(WarcRecord* record, std::span<char> room) {
  if (reader_->place().position != place_.position) return false;  // the last was otherwise
  ARROW_ASSIGN_OR_RAISE(const bool more, reader_->Next(record, room));
  if (!more || !IsRegular(*record)) return false;
  place_ = reader_->place();
  return true;
}

// What inflates by more than half of what files may is left to who knows how much the file has inflated.
bool MembersReader::IsRegular(const WarcRecord& record) const {
  const MemberPlace place = reader_->place();
  const auto most = static_cast<double>(max_inflation_) / 2 * static_cast<double>(place.position - begin_);
  return record.state != WarcRecord::State::kBad && record.is_alone && record.offset == place_.position &&
         reader_->is_between_members() && static_cast<double>(place.decoded) <= most;
}

}  // namespace uzushio
