#include "stages/extract/indexed_reader.h"

#include <arrow/buffer.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/stop.h"
#include "document/header_uri.h"
#include "html/encoding.h"
#include "stages/extract/warc_documents.h"
#include "storage/held_file.h"
#include "storage/input_window.h"
#include "warc/cdxj.h"
#include "warc/http.h"

namespace uzushio {

arrow::Status AllowRangesOf(int files) {
  const int requests = files * static_cast<int>(kRangesAhead);
  return requests <= arrow::io::GetIOThreadPoolCapacity() ? arrow::Status::OK()
                                                          : arrow::io::SetIOThreadPoolCapacity(requests);
}

std::string_view PlaceFault(const IndexedRecord& record, int64_t size) {
  if (record.offset < 0) return "index-offset";
  if (size < 0) return "index-file";
  if (record.offset >= size) return "index-offset";
  return record.length <= 0 || record.length > size - record.offset ? "index-length" : "";
}

arrow::Result<bool> RecordGroups::Next(RecordGroup* group) {
  constexpr size_t kMostRecords = 1024;
  *group = {};
  while (group->records.size() < kMostRecords) {
    if (at_ == block_.size()) {
      const int64_t count = std::min<int64_t>(end_ - next_, kMostRecords);
      if (count == 0) break;
      block_.resize(static_cast<size_t>(count));
      ARROW_RETURN_NOT_OK(index_.Read(next_, block_));
      next_ += count;
      at_ = 0;
    }
    const IndexedRecord& record = block_[at_];
    if (PlaceFault(record, size_).empty() &&
        !MergeInto({record.offset, record.offset + record.length}, limits_, &group->range)) {
      break;
    }
    group->records.push_back(record);
    ++at_;
  }
  return !group->records.empty();
}

arrow::Result<std::unique_ptr<IndexedReader>> IndexedReader::Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                                  int64_t size, const std::string& name,
                                                                  std::shared_ptr<const IndexedRecordSource> index,
                                                                  const IndexedRecords::File& of, int64_t gap,
                                                                  const PageLimits& limits) {
  std::unique_ptr<IndexedReader> reader(new IndexedReader(std::move(index), of, size, gap));
  if (file == nullptr) return reader;
  reader->most_decoded_ = MostDecoded(size, limits.max_inflation);
  reader->window_ = std::make_shared<HeldFile>(std::move(file), size);
  ARROW_ASSIGN_OR_RAISE(auto input, InputWindow::Open(reader->window_));
  // The first bytes tell the format. Of zstd, more is read where a dictionary is there.
  constexpr int64_t kFirstBytes = 64;
  constexpr unsigned char kDictionary[] = {0x5D, 0x2A, 0x4D, 0x18};
  input->Limit(0, kFirstBytes);
  ARROW_ASSIGN_OR_RAISE(const std::string_view first, input->Peek(sizeof kDictionary));
  reader->counts_ = {1, std::min(size, kFirstBytes)};
  if (first.size() >= sizeof kDictionary && std::memcmp(first.data(), kDictionary, sizeof kDictionary) == 0) {
    input->Limit(0, size);
  }
  ARROW_ASSIGN_OR_RAISE(reader->warc_,
                        WarcReader::Open(std::move(input), name, MostContent(limits), limits.max_inflation));
  return reader;
}

arrow::Result<std::unique_ptr<IndexedReader>> OpenByIndex(const InputFile& archive,
                                                          std::shared_ptr<const IndexedRecordSource> index,
                                                          const IndexedRecords::File& of, int64_t gap,
                                                          const PageLimits& limits, InputFile* opened) {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  int64_t size = -1;
  if (!archive.path.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto info, archive.filesystem->GetFileInfo(archive.path));
    if (info.IsFile()) {
      size = info.size();
      ARROW_ASSIGN_OR_RAISE(file, archive.filesystem->OpenInputFile(info));
      *opened = {archive.name, archive.path, info.size(), archive.filesystem, info.mtime(), nullptr};
    }
  }
  return IndexedReader::Open(std::move(file), size, archive.name, std::move(index), of, gap, limits);
}

arrow::Status IndexedReader::FillAhead() {
  while (!no_more_ && ahead_.size() < kRangesAhead) {
    Ahead next;
    ARROW_ASSIGN_OR_RAISE(const bool more, groups_.Next(&next.group));
    no_more_ = !more;
    if (!more) break;
    const ByteRange& range = next.group.range;
    counts_.ranges += range.size() > 0 ? 1 : 0;
    counts_.bytes += range.size();
    if (range.size() > 0 && range.size() <= kMostRange) {
      const auto& file = window_->file();
      next.bytes = file->ReadAsync(file->io_context(), range.begin, range.size());
    }
    ahead_.push_back(std::move(next));
  }
  return arrow::Status::OK();
}

arrow::Result<bool> IndexedReader::NextGroup() {
  ARROW_RETURN_NOT_OK(CheckStop());
  ARROW_RETURN_NOT_OK(FillAhead());
  if (ahead_.empty()) return false;
  Ahead next = std::move(ahead_.front());
  ahead_.pop_front();
  std::shared_ptr<arrow::Buffer> bytes;
  if (next.bytes.is_valid()) {
    ARROW_ASSIGN_OR_RAISE(bytes, next.bytes.MoveResult());
  }
  if (window_ != nullptr) window_->Hold(next.group.range.begin, std::move(bytes));
  group_ = std::move(next.group);
  at_ = 0;
  ARROW_RETURN_NOT_OK(FillAhead());
  return true;
}

arrow::Result<bool> IndexedReader::Next(WarcRecord* record, std::span<char> room) {
  if (at_ == group_.records.size()) {
    ARROW_ASSIGN_OR_RAISE(const bool more, NextGroup());
    if (!more) return false;
  }
  const IndexedRecord& wanted = group_.records[at_++];
  ARROW_RETURN_NOT_OK(ReadRecord(wanted, record, room));
  done_bytes_ += CountedLength(wanted);
  return true;
}

arrow::Status IndexedReader::ReadRecord(const IndexedRecord& wanted, WarcRecord* record, std::span<char> room) {
  if (const std::string_view fault = PlaceFault(wanted, size_); !fault.empty()) return MakeBad(wanted, fault, record);
  if (all_decoded_ > most_decoded_) return MakeBad(wanted, "inflation", record);
  ARROW_ASSIGN_OR_RAISE(const bool is_there, warc_->ReadOne(wanted.offset, wanted.length, record, room));
  all_decoded_ += warc_->all_decoded_bytes();
  if (!is_there) return MakeBad(wanted, "no-record", record);
  decoded_ += static_cast<int64_t>(record->header.size() + record->content.size());
  if (record->state == WarcRecord::State::kBad) return MakeBad(wanted, record->reason, record);
  const std::string_view mismatch = Mismatch(wanted, *record);
  return mismatch.empty() ? arrow::Status::OK() : MakeBad(wanted, mismatch, record);
}

// Bytes are kept once: rows may overlap, and name a place a million times.
arrow::Status IndexedReader::MakeBad(const IndexedRecord& wanted, std::string_view reason, WarcRecord* record) {
  record->state = WarcRecord::State::kBad;
  record->reason = reason;
  record->header = {};
  record->content = {};
  record->raw.clear();
  record->offset = wanted.offset;
  record->length = wanted.length;
  if (!PlaceFault(wanted, size_).empty() || wanted.offset < kept_end_) return arrow::Status::OK();
  record->raw.resize(static_cast<size_t>(std::min(wanted.length, WarcRecord::kMaxRawBytes)));
  ARROW_ASSIGN_OR_RAISE(const int64_t got,
                        window_->ReadAt(wanted.offset, static_cast<int64_t>(record->raw.size()), record->raw.data()));
  record->raw.resize(static_cast<size_t>(got));
  kept_end_ = wanted.offset + wanted.length;
  return arrow::Status::OK();
}

std::string_view IndexedReader::Mismatch(const IndexedRecord& wanted, const WarcRecord& record) {
  if (!record.is_alone || record.offset != wanted.offset || record.length != wanted.length) return "index-length";
  const std::string_view url = WithoutAngleBrackets(record.headers.Get("WARC-Target-URI"));
  if (wanted.url != 0 && KeyOfText(url) != wanted.url) {
    std::string buffer;  // columns of texts hold no other bytes
    if (KeyOfText(Encoding::Utf8().Decode(url, &buffer)) != wanted.url) return "index-url";
  }
  const std::string_view digest = PlainDigest(record.headers.Get("WARC-Payload-Digest"));
  if (wanted.digest != 0 && !digest.empty() && KeyOfText(digest) != wanted.digest) return "index-digest";
  if (wanted.status == 0 || record.content.empty()) return {};
  HttpResponse response;
  const bool is_response = EqualsIgnoreCase(record.headers.Get("WARC-Type"), "response");
  if (is_response && ParseHttpResponse(record.content, &response) && response.status != wanted.status) {
    return "index-status";
  }
  return {};
}

}  // namespace uzushio
