#include "stages/extract/revisit_notes.h"

#include <arrow/io/file.h>
#include <xxhash.h>

#include <cstring>
#include <utility>

#include "document/header_uri.h"
#include "document/provenance.h"
#include "warc/cdxj.h"
#include "warc/http.h"

namespace uzushio {
namespace {

constexpr size_t kNotesBuffer = size_t{256} << 10;
// A note is its size, its kind and what it says.
constexpr char kDocumentNote = 'D';
constexpr char kRevisitNote = 'R';
constexpr size_t kNoteHead = sizeof(uint32_t) + 1;

CaptureKey KeyOf(std::string_view text) {
  if (text.empty()) return {};
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64};
}

// Dates that are one second are one, however they are written.
CaptureKey KeyOfCapture(std::string_view url, std::string_view date) {
  if (url.empty() || date.empty()) return {};
  const std::optional<int64_t> seconds = SecondsOfDate(date);
  std::string text(WithoutAngleBrackets(url));
  text.append(1, '\n').append(seconds ? std::to_string(*seconds) : std::string(date));
  return KeyOf(text);
}

// What is longer is no date.
std::string_view ShortDate(std::string_view date) {
  constexpr size_t kMost = 64;
  return date.size() <= kMost ? date : std::string_view();
}

CaptureKey KeyOfId(std::string_view id) { return KeyOf(WithoutAngleBrackets(id)); }

template <typename Value>
void AppendValue(const Value& value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename Value>
bool TakeValue(std::string_view* bytes, Value* value) {
  if (bytes->size() < sizeof *value) return false;
  std::memcpy(value, bytes->data(), sizeof *value);
  bytes->remove_prefix(sizeof *value);
  return true;
}

bool TakeText(std::string_view* bytes, std::string* text) {
  uint32_t size = 0;
  if (!TakeValue(bytes, &size) || bytes->size() < size) return false;
  text->assign(bytes->substr(0, size));
  bytes->remove_prefix(size);
  return true;
}

// Of a revisit that may be const.
template <typename Of>
auto TextsOf(Of* revisit) {
  return std::array{&revisit->record_id, &revisit->url, &revisit->date, &revisit->http_date, &revisit->last_modified};
}

arrow::Status DamagedNotes() { return arrow::Status::IOError("damaged notes of revisits, which are temporary data"); }

}  // namespace

CaptureKeys KeysOfPage(const Headers& headers) {
  return {KeyOfId(headers.Get("WARC-Record-ID")),
          KeyOfCapture(headers.Get("WARC-Target-URI"), headers.Get("WARC-Date")),
          KeyOf(PlainDigest(headers.Get("WARC-Payload-Digest")))};
}

std::optional<Revisit> ReadRevisit(const WarcRecord& record) {
  const Headers& headers = record.headers;
  if (record.state == WarcRecord::State::kBad || !EqualsIgnoreCase(headers.Get("WARC-Type"), "revisit")) {
    return std::nullopt;
  }
  const std::string_view profile = WithoutAngleBrackets(headers.Get("WARC-Profile"));
  const bool has_page =
      profile.empty() || profile.ends_with("identical-payload-digest") || profile.ends_with("server-not-modified");
  const std::string_view url = WithoutAngleBrackets(headers.Get("WARC-Target-URI"));
  const std::string_view id = headers.Get("WARC-Record-ID");
  constexpr size_t kMostText = size_t{64} << 10;  // revisits are sorted in memory, and have to fit
  if (!has_page || url.empty() || url.size() > kMostText || id.size() > kMostText) return std::nullopt;
  Revisit revisit{.page = {KeyOfId(headers.Get("WARC-Refers-To")),
                           KeyOfCapture(headers.Get("WARC-Refers-To-Target-URI"), headers.Get("WARC-Refers-To-Date")),
                           KeyOf(PlainDigest(headers.Get("WARC-Payload-Digest")))},
                  .offset = record.offset,
                  .length = record.length,
                  .record_id = std::string(id),
                  .url = std::string(url),
                  .date = std::string(ShortDate(headers.Get("WARC-Date")))};
  HttpResponse response;
  if (ParseHttpResponse(record.content, &response)) {
    constexpr int kNotModified = 304;
    if (response.status != 200 && response.status != kNotModified) return std::nullopt;
    revisit.http_date = ShortDate(response.headers.Get("Date"));
    revisit.last_modified = ShortDate(response.headers.Get("Last-Modified"));
  }
  return revisit;
}

void AppendRevisit(const Revisit& revisit, std::string* bytes) {
  AppendValue(revisit.page, bytes);
  AppendValue(revisit.offset, bytes);
  AppendValue(revisit.length, bytes);
  for (const std::string* text : TextsOf(&revisit)) {
    AppendValue(static_cast<uint32_t>(text->size()), bytes);
    bytes->append(*text);
  }
}

arrow::Status TakeRevisit(std::string_view* bytes, Revisit* revisit) {
  bool is_whole =
      TakeValue(bytes, &revisit->page) && TakeValue(bytes, &revisit->offset) && TakeValue(bytes, &revisit->length);
  for (std::string* text : TextsOf(revisit)) is_whole = is_whole && TakeText(bytes, text);
  return is_whole ? arrow::Status::OK() : DamagedNotes();
}

arrow::Status RevisitNotes::AddDocument(std::string_view language, const CaptureKeys& keys) {
  AppendValue(static_cast<uint32_t>(sizeof keys + language.size()), &buffer_);
  buffer_ += kDocumentNote;
  AppendValue(keys, &buffer_);
  buffer_ += language;
  return buffer_.size() < kNotesBuffer ? arrow::Status::OK() : Flush();
}

arrow::Status RevisitNotes::Add(const Revisit& revisit) {
  ++revisits_;
  const size_t head = buffer_.size();
  buffer_.resize(head + kNoteHead, kRevisitNote);
  AppendRevisit(revisit, &buffer_);
  const auto size = static_cast<uint32_t>(buffer_.size() - head - kNoteHead);
  std::memcpy(buffer_.data() + head, &size, sizeof size);
  return buffer_.size() < kNotesBuffer ? arrow::Status::OK() : Flush();
}

arrow::Status RevisitNotes::Flush() {
  if (buffer_.empty()) return arrow::Status::OK();
  if (file_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(file_, HashedFile::Create(folder_ / path_));
  }
  ARROW_RETURN_NOT_OK(file_->Write(buffer_.data(), static_cast<int64_t>(buffer_.size())));
  buffer_.clear();
  return arrow::Status::OK();
}

arrow::Result<std::optional<WrittenFile>> RevisitNotes::Finish() {
  ARROW_RETURN_NOT_OK(Flush());
  if (file_ == nullptr) return std::nullopt;
  ARROW_RETURN_NOT_OK(file_->Close());
  return file_->Written(path_, revisits_);
}

arrow::Result<std::unique_ptr<RevisitNotesReader>> RevisitNotesReader::Open(const std::filesystem::path& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path.string()));
  ARROW_ASSIGN_OR_RAISE(auto window, InputWindow::Open(std::move(file)));
  return std::unique_ptr<RevisitNotesReader>(new RevisitNotesReader(std::move(window)));
}

arrow::Result<bool> RevisitNotesReader::Next(Note* note) {
  ARROW_ASSIGN_OR_RAISE(std::string_view bytes, file_->Peek(kNoteHead));
  if (bytes.empty()) return false;
  uint32_t size = 0;
  if (!TakeValue(&bytes, &size)) return DamagedNotes();
  ARROW_ASSIGN_OR_RAISE(bytes, file_->Peek(kNoteHead + size));
  if (bytes.size() < kNoteHead + size) return DamagedNotes();
  note->is_revisit = bytes[sizeof size] == kRevisitNote;
  bytes = bytes.substr(kNoteHead, size);
  if (note->is_revisit) {
    ARROW_RETURN_NOT_OK(TakeRevisit(&bytes, &note->revisit));
  } else {
    if (!TakeValue(&bytes, &note->keys)) return DamagedNotes();
    note->language = bytes;
  }
  file_->Consume(kNoteHead + size);
  return true;
}

}  // namespace uzushio
