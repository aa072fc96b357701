#include "warc/members_reader.h"

#include <arrow/buffer.h>

#include <limits>
#include <utility>

namespace uzushio {

MembersReader::MembersReader(std::string name, size_t max_content, size_t max_inflation)
    : name_(std::move(name)),
      max_content_(max_content),
      max_inflation_(max_inflation),
      file_(std::make_shared<HeldFile>(nullptr, std::numeric_limits<int64_t>::max())) {}

arrow::Status MembersReader::Begin(std::string_view members, int64_t position) {
  begin_ = position;
  end_ = position + static_cast<int64_t>(members.size());
  place_ = {position, 0, ArchiveFormat::kWarc};
  file_->Hold(position, std::make_shared<arrow::Buffer>(members));
  if (reader_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto window, InputWindow::Open(file_));
    window->Limit(begin_, end_);  // the first bytes tell how members are compressed
    ARROW_ASSIGN_OR_RAISE(reader_, WarcReader::Open(std::move(window), name_, max_content_, max_inflation_));
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
  return record.state != WarcRecord::State::kBad && record.is_alone && record.offset == place_.position &&
         reader_->is_between_members() &&
         place.decoded / 2 <= static_cast<int64_t>(max_inflation_ / 4) * (place.position - begin_);
}

}  // namespace uzushio
