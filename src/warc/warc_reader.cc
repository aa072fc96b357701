#include "warc/warc_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "warc/arc.h"

namespace uzushio {
namespace {

// Far above what crawlers write; a header without an end is no header.
constexpr size_t kMaxHeader = size_t{256} << 10;
constexpr size_t kScanBytes = size_t{64} << 10;

bool ParseLength(std::string_view text, size_t* length) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return false;
  *length = static_cast<size_t>(value);
  return true;
}

ArchiveFormat FormatOfName(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst", ".lz4"}) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    break;
  }
  return name.ends_with(".arc") ? ArchiveFormat::kArc : ArchiveFormat::kWarc;
}

StreamLimits LimitsOf(size_t max_content, size_t max_inflation) {
  return {.max_look_ahead = max_content + 2 * kMaxHeader, .max_inflation = max_inflation};
}

}  // namespace

arrow::Result<std::unique_ptr<WarcReader>> WarcReader::Open(std::unique_ptr<InputWindow> file, std::string_view name,
                                                            size_t max_content, size_t max_inflation) {
  ARROW_ASSIGN_OR_RAISE(auto stream, MemberStream::Open(std::move(file), name, LimitsOf(max_content, max_inflation)));
  return std::unique_ptr<WarcReader>(new WarcReader(std::move(stream), max_content, FormatOfName(name)));
}

std::unique_ptr<WarcReader> WarcReader::OpenGzip(std::unique_ptr<InputWindow> file, size_t max_content,
                                                 size_t max_inflation) {
  auto stream = MemberStream::OpenGzip(std::move(file), LimitsOf(max_content, max_inflation));
  return std::unique_ptr<WarcReader>(new WarcReader(std::move(stream), max_content, ArchiveFormat::kWarc));
}

std::string_view WarcReader::DamageReason() const {
  switch (stream_->state()) {
    case StreamState::kDamaged:
      return "damaged-member";
    case StreamState::kCutOff:
      return "cut-off";
    case StreamState::kInflated:
    case StreamState::kGivenUp:
      return "inflation";
    case StreamState::kRefused:
      return stream_->refusal();
    default:
      // Content reaches beyond the end: of the file, or of a member that is sound.
      return stream_->compressed() ? "bad-length" : "cut-off";
  }
}

// Moves to the next record or to what stands in its place. False at the end of the file.
arrow::Result<bool> WarcReader::BeginRecord(std::span<char> room) {
  while (true) {
    if (!in_member_) ARROW_RETURN_NOT_OK(NextMember(room));
    if (!in_member_) return false;
    ARROW_ASSIGN_OR_RAISE(auto bytes, stream_->Peek(64));
    const size_t line_ends = LineEnds(bytes);
    stream_->Consume(line_ends);
    if (line_ends < bytes.size()) break;
    if (stream_->state() == StreamState::kEnd) {
      in_member_ = false;
    } else if (stream_->state() != StreamState::kMore) {
      break;
    }
  }
  if (first_in_member_) {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, stream_->Peek(kArcLookAhead));
    format_ = FormatOfRecord(bytes).value_or(format_);
    begins_inside_ = !MayBeginRecord(format_, bytes);
  }
  record_position_ = stream_->decoded_position();
  has_joined_ = false;
  return true;
}

// Goes on in the next member where no record begins there: then this one ends inside a record.
arrow::Result<bool> WarcReader::Join() {
  if (only_ || stream_->state() != StreamState::kEnd) return false;
  ARROW_ASSIGN_OR_RAISE(const bool joined, stream_->Join());
  if (!joined) return false;
  has_joined_ = true;
  was_first_ = std::exchange(first_in_member_, false);
  return true;
}

// Where the record for which members were joined is bad, though they are sound, its length was false: all is as it was.
// What was decoded for it is decoded again, which is done for a few such records of a file.
void WarcReader::Unjoin() {
  constexpr int kMost = 16;
  if (!std::exchange(has_joined_, false)) return;
  const bool is_damaged = stream_->state() != StreamState::kMore && stream_->state() != StreamState::kEnd;
  if (is_damaged || unjoined_ == kMost) {
    shares_members_ = true;
    return;
  }
  ++unjoined_;
  stream_->Unjoin();
  first_in_member_ = was_first_;
}

arrow::Status WarcReader::NextMember(std::span<char> room) {
  ARROW_ASSIGN_OR_RAISE(in_member_, stream_->NextMember(room));
  first_in_member_ = true;
  return arrow::Status::OK();
}

arrow::Result<bool> WarcReader::Next(WarcRecord* record, std::span<char> room) {
  ARROW_ASSIGN_OR_RAISE(const bool more, BeginRecord(room));
  if (!more) return false;
  record->header = {};
  record->content = {};
  record->reason = {};
  record->raw.clear();
  ARROW_ASSIGN_OR_RAISE(const size_t header_size, FindHeader());
  if (header_size == 0) {
    ARROW_ASSIGN_OR_RAISE(auto bytes, stream_->Peek(1));
    const bool sound = stream_->state() == StreamState::kMore || stream_->state() == StreamState::kEnd;
    const bool is_record = BeginsRecord(format_, bytes);
    ARROW_RETURN_NOT_OK(Bad(record, !sound ? DamageReason() : is_record ? "bad-header" : "no-record", 1));
  } else {
    ARROW_RETURN_NOT_OK(ReadRecord(record, header_size));
  }
  stream_->LeaveRoom();
  return true;
}

arrow::Result<bool> WarcReader::ReadOne(int64_t offset, int64_t length, WarcRecord* record, std::span<char> room) {
  Restart(offset, offset + length);
  only_ = offset;
  return Next(record, room);
}

void WarcReader::Restart(int64_t begin, int64_t end) {
  stream_->Restart(begin, end);
  in_member_ = false;
  shares_members_ = false;
  only_ = std::nullopt;
}

arrow::Result<bool> WarcReader::TakeMembers(size_t least, std::string* members) {
  if (shares_members_ || only_) return false;
  return stream_->TakeMembers(least, members);
}

void WarcReader::GoOnAt(const MemberPlace& place) {
  stream_->GoOnAt(place.position, place.decoded);
  in_member_ = false;
  format_ = place.format;
}

// The size of the header at the position, or 0 where no record begins or its header has no end.
arrow::Result<size_t> WarcReader::FindHeader() {
  for (size_t want = kArcLookAhead; true;) {
    ARROW_ASSIGN_OR_RAISE(auto bytes, stream_->Peek(want));
    if (!MayBeginRecord(format_, bytes)) return size_t{0};
    const size_t size = BeginsRecord(format_, bytes) ? HeaderSize(bytes) : 0;
    if (size > 0) return size;
    ARROW_ASSIGN_OR_RAISE(const bool joined, Join());
    if (joined) continue;
    if (want >= kMaxHeader || stream_->state() != StreamState::kMore) return size_t{0};
    want *= 4;
  }
}

// Of a header that `bytes` begin with: up to and with its empty line, of ARC its only line. 0 where it has no end.
size_t WarcReader::HeaderSize(std::string_view bytes) const {
  bytes = bytes.substr(0, kMaxHeader);
  if (format_ == ArchiveFormat::kWarc) {
    const size_t end = FindHeaderEnd(bytes);
    return end == std::string_view::npos ? 0 : end;
  }
  const size_t end = bytes.find('\n');
  return end != std::string_view::npos && ParseArcLine(bytes.substr(0, end)) ? end + 1 : 0;
}

// `bytes` are a header. Of ARC it is written anew, in header_copy_.
void WarcReader::ParseHeader(std::string_view bytes, Headers* headers, std::string_view* header) {
  if (format_ == ArchiveFormat::kArc) {
    WriteAsWarcHeader(*ParseArcLine(bytes.substr(0, bytes.find('\n'))), &header_copy_);
    bytes = header_copy_;
  }
  *header = bytes;
  headers->Parse(bytes);
}

arrow::Status WarcReader::ReadRecord(WarcRecord* record, size_t header_size) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, stream_->Peek(header_size));
  ParseHeader(bytes.substr(0, header_size), &record->headers, &record->header);
  size_t length = 0;
  if (!ParseLength(record->headers.Get("Content-Length"), &length)) return Bad(record, "bad-length", header_size);
  const auto left = static_cast<size_t>(std::max<int64_t>(stream_->most_left(), 0));
  if (length > left) return Bad(record, DamageReason(), header_size);  // it is false, or the file is cut off
  if (length > max_content_) {
    ARROW_ASSIGN_OR_RAISE(const bool is_true, MayBeLength(header_size + length));
    return is_true ? SkipContent(record, header_size, length) : Bad(record, "bad-length", header_size);
  }
  const size_t end = header_size + length;
  // Behind the content two line ends are due; what follows them shows whether the length is true, or the end of the
  // member whether it is sound.
  while (true) {
    ARROW_ASSIGN_OR_RAISE(bytes, stream_->Peek(end + kBehindRecord));
    if (bytes.size() >= end) break;
    ARROW_ASSIGN_OR_RAISE(const bool joined, Join());
    if (!joined) return Bad(record, DamageReason(), header_size);
  }
  const std::string_view behind = bytes.substr(end, kBehindRecord);
  const bool is_sound_end = stream_->is_at_sound_end();
  const std::optional<size_t> line_ends = LineEndsOfRecord(format_, behind, is_sound_end);
  if (!line_ends) {
    const bool at_end = LineEnds(behind) == behind.size();
    return Bad(record, at_end && !is_sound_end ? DamageReason() : "bad-length", header_size);
  }
  const bool at_end = *line_ends == behind.size();
  record->state = WarcRecord::State::kOk;
  ParseHeader(bytes.substr(0, header_size), &record->headers, &record->header);  // the bytes may have moved
  record->content = bytes.substr(header_size, length);
  stream_->Consume(end + *line_ends);  // the bytes stay
  SetPlace(record, at_end, static_cast<int64_t>(end + *line_ends));
  return arrow::Status::OK();
}

// Whether what lies `end` bytes on may be a record's end. In files that are not compressed that is looked at before a
// long content is skipped, since a false length would take the records behind along.
arrow::Result<bool> WarcReader::MayBeLength(size_t end) {
  if (stream_->compressed()) return true;
  if (end > static_cast<size_t>(std::max<int64_t>(stream_->most_left(), 0))) return false;
  constexpr auto kWanted = static_cast<int64_t>(kBehindRecord);
  ARROW_ASSIGN_OR_RAISE(const std::string behind,
                        stream_->RawBytes(stream_->file_position() + static_cast<int64_t>(end), kWanted));
  return LineEndsOfRecord(format_, behind, static_cast<int64_t>(behind.size()) < kWanted).has_value();
}

// Skips content over the cap, which is not searched for records: pages may hold the text of some.
arrow::Status WarcReader::SkipContent(WarcRecord* record, size_t header_size, size_t length) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, stream_->Peek(header_size));
  if (format_ == ArchiveFormat::kWarc) {
    header_copy_ = bytes.substr(0, header_size);
    record->headers.Parse(header_copy_);
  }
  record->header = {};
  Take(bytes, header_size, &record->raw);
  for (size_t left = length; left > 0;) {
    ARROW_ASSIGN_OR_RAISE(bytes, stream_->Peek(1));
    bytes = bytes.substr(0, left);
    if (bytes.empty()) {
      ARROW_ASSIGN_OR_RAISE(const bool joined, Join());
      if (!joined) return Bad(record, DamageReason(), 0);
      continue;
    }
    Take(bytes, bytes.size(), &record->raw);
    left -= bytes.size();
  }
  ARROW_ASSIGN_OR_RAISE(bytes, stream_->Peek(kBehindRecord));
  bytes = bytes.substr(0, kBehindRecord);
  const std::optional<size_t> line_ends = LineEndsOfRecord(format_, bytes, stream_->is_at_sound_end());
  if (!line_ends) return Bad(record, bytes.empty() ? DamageReason() : "bad-length", 0);
  record->state = WarcRecord::State::kTooLarge;
  record->raw.clear();
  const bool at_end = *line_ends == bytes.size();
  stream_->Consume(*line_ends);
  SetPlace(record, at_end, stream_->decoded_position() - record_position_);
  return arrow::Status::OK();
}

void WarcReader::SetPlace(WarcRecord* record, bool at_end, int64_t decoded_length) {
  shares_members_ |= !first_in_member_;
  const bool has_member = stream_->compressed() && first_in_member_ && at_end;
  record->is_alone = has_member || !stream_->compressed();
  if (has_member) {
    record->offset = stream_->member_offset();
    record->length = stream_->file_position() - record->offset;
  } else {
    record->offset = record_position_;
    record->length = decoded_length;
  }
  first_in_member_ = false;
}

// Makes the record a bad one and moves to where the next begins: inside the member if one does, at the earliest behind
// `from` bytes; else at the next member.
arrow::Status WarcReader::Bad(WarcRecord* record, std::string_view reason, size_t from) {
  record->state = WarcRecord::State::kBad;
  record->reason = reason;
  record->header = {};
  record->content = {};
  Unjoin();
  if (only_) {
    if (stream_->compressed()) {  // its end tells what is wrong with it
      ARROW_RETURN_NOT_OK(SkipMember(&record->raw).status());
      if (stream_->state() != StreamState::kEnd) record->reason = DamageReason();
    }
    record->offset = *only_;
    record->length = std::max<int64_t>(stream_->file_size() - *only_, 0);
    ARROW_ASSIGN_OR_RAISE(record->raw,
                          stream_->RawBytes(*only_, std::min<int64_t>(record->length, WarcRecord::kMaxRawBytes)));
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const bool inside, MayGoOnInside() ? SkipToRecord(std::max<size_t>(from, 1), &record->raw)
                                                           : SkipMember(&record->raw));
  const int64_t member = stream_->member_offset();
  record->offset = record_position_;
  record->length = stream_->decoded_position() - record_position_;
  const bool alone = stream_->compressed() && first_in_member_ && !inside;
  first_in_member_ = false;
  if (inside) {
    if (reason == "cut-off") record->reason = "bad-length";  // the file goes on behind the record
    return arrow::Status::OK();
  }
  // What is behind the record tells why it is bad: damage that shows only at the member's end, or the end of the file.
  if (stream_->state() != StreamState::kEnd) record->reason = DamageReason();
  ARROW_RETURN_NOT_OK(NextMember({}));
  if (!alone) return arrow::Status::OK();
  record->offset = member;
  record->length = (in_member_ ? stream_->member_offset() : stream_->file_size()) - member;
  ARROW_ASSIGN_OR_RAISE(record->raw,
                        stream_->RawBytes(member, std::min<int64_t>(record->length, WarcRecord::kMaxRawBytes)));
  return arrow::Status::OK();
}

// Where each member begins with a record of its own, what is behind that is its content, which may hold the text of
// records. The first member may be all there is, and where an earlier one has held several, others do. One that begins
// with no record is no record's content alone.
bool WarcReader::MayGoOnInside() const {
  return !stream_->compressed() || !first_in_member_ || shares_members_ || begins_inside_ || record_position_ == 0 ||
         stream_->member_offset() == 0;
}

// Moves to the member's end.
arrow::Result<bool> WarcReader::SkipMember(std::string* raw) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto bytes, stream_->Peek(1));
    Take(bytes, bytes.size(), raw);
    if (stream_->state() != StreamState::kMore) return false;
  }
}

// Consumes bytes and keeps them, as long as they are few.
void WarcReader::Take(std::string_view bytes, size_t count, std::string* raw) {
  const size_t room = static_cast<size_t>(WarcRecord::kMaxRawBytes) - raw->size();
  raw->append(bytes.substr(0, std::min(count, room)));
  stream_->Consume(count);
}

// Moves to the next whole record inside the member, at least `from` bytes on. False, at the member's end, if there is
// none. Each byte is looked at a few times, however many lines look like the first of a record.
arrow::Result<bool> WarcReader::SkipToRecord(size_t from, std::string* raw) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto bytes, stream_->Peek(from + kScanBytes));
    const size_t found = FindRecord(format_, bytes, from);
    if (found != std::string_view::npos) {
      Take(bytes, found, raw);
      ARROW_ASSIGN_OR_RAISE(from, NoRecordBytes());
      if (from == 0) return true;
      continue;
    }
    if (stream_->state() != StreamState::kMore) {
      Take(bytes, bytes.size(), raw);
      return false;
    }
    Take(bytes, bytes.size() - BytesToSeeAgain(format_, bytes), raw);
    from = 1;
  }
}

// Of what begins with the first line of a record: 0 where it is a whole record, or one over the cap, whose header is
// whole; else how many bytes are no record.
arrow::Result<size_t> WarcReader::NoRecordBytes() {
  ARROW_ASSIGN_OR_RAISE(auto bytes, stream_->Peek(kMaxHeader));
  bytes = bytes.substr(0, kMaxHeader);
  const size_t header_end = HeaderSize(bytes);
  const size_t header_size = header_end > 0 ? header_end : bytes.size();
  if (format_ == ArchiveFormat::kWarc) {
    // The last version line before the header's end begins it.
    size_t last = 0;
    for (size_t at = 1; (at = FindRecord(format_, bytes.substr(0, header_size), at)) != std::string_view::npos; ++at) {
      last = at;
    }
    if (last > 0) return last;
  }
  if (header_end == 0) return std::max(header_size, kWarcLookBehind + 1) - kWarcLookBehind;
  Headers headers;
  std::string_view header;
  ParseHeader(bytes.substr(0, header_size), &headers, &header);
  size_t length = 0;
  if (!ParseLength(headers.Get("Content-Length"), &length) || !headers.Find("WARC-Type")) return header_size;
  if (length > max_content_) {
    ARROW_ASSIGN_OR_RAISE(const bool is_true, MayBeLength(header_size + length));
    return is_true ? size_t{0} : header_size;
  }
  const size_t end = header_size + length;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(bytes, stream_->Peek(end + kBehindRecord));
    if (bytes.size() >= end) break;
    ARROW_ASSIGN_OR_RAISE(const bool joined, Join());
    if (!joined) break;
  }
  const bool is_whole =
      bytes.size() >= end && LineEndsOfRecord(format_, bytes.substr(end, kBehindRecord), stream_->is_at_sound_end());
  if (is_whole) return size_t{0};
  Unjoin();
  return header_size;
}

}  // namespace uzushio
