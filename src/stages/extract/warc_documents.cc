#include "stages/extract/warc_documents.h"

#include <algorithm>
#include <utility>

#include "document/markup.h"
#include "document/plain_points.h"
#include "storage/input_window.h"

namespace uzushio {

size_t MostContent(const PageLimits& limits) { return limits.max_bytes + (size_t{64} << 10); }

arrow::Result<std::unique_ptr<WarcReader>> OpenWarc(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                    const std::string& name, const PageLimits& limits) {
  ARROW_ASSIGN_OR_RAISE(auto window, InputWindow::Open(std::move(file)));
  return WarcReader::Open(std::move(window), name, MostContent(limits), limits.max_inflation);
}

void CountFile(const RecordReader& reader, ExtractCounts* counts) {
  counts->file_bytes = reader.bytes_read();
  counts->decoded_bytes = reader.decoded_bytes();
  if (reader.requests() > 0) counts->requests = reader.requests();
}

bool TakePage(WarcRecord* record, const std::string& warc, PageView* page, ExtractCounts* counts,
              const std::function<void(QuarantinedRecord)>& quarantine) {
  ++counts->records;
  if (record->state == WarcRecord::State::kBad) {
    counts->quarantined.Add(record->reason);
    quarantine({warc, record->offset, record->length, std::string(record->reason), std::move(record->raw)});
    return false;
  }
  page->warc = warc;
  const std::string_view reason = SelectPage(*record, page);
  if (!reason.empty()) counts->rejected.Add(reason);
  return reason.empty();
}

namespace {

// Code points of the paragraphs, without paths and marks.
int64_t PlainCharacters(std::string_view text) {
  int64_t characters = 0;
  while (!text.empty()) {
    const std::string_view paragraph = text.substr(0, text.find(kParagraphSeparator));
    text.remove_prefix(std::min(paragraph.size() + kParagraphSeparator.size(), text.size()));
    const size_t separator = paragraph.find(kPathSeparator);
    characters += PlainPoints(separator == std::string_view::npos ? paragraph : paragraph.substr(separator + 1));
  }
  return characters;
}

}  // namespace

bool TakeOutcome(const PageView& page, const PageOutcome& outcome, const Document& document, ExtractCounts* counts,
                 const std::function<void(QuarantinedRecord)>& quarantine) {
  switch (outcome.kind) {
    case PageOutcome::Kind::kDocument:
      ++counts->documents;
      counts->languages.Add(document.language);
      if (outcome.body_truncated) counts->damaged.Add("body-truncated");
      if (outcome.false_checksum) counts->damaged.Add("body-checksum");
      if (outcome.replaced > 0) counts->damaged.Add("undecodable-characters");
      counts->replaced += outcome.replaced;
      counts->paragraphs += document.paragraphs;
      counts->text_bytes += static_cast<int64_t>(document.text.size());
      *counts->characters += PlainCharacters(document.text);
      return true;
    case PageOutcome::Kind::kRejected:
      counts->rejected.Add(outcome.reason);
      break;
    case PageOutcome::Kind::kQuarantined:
      counts->quarantined.Add(outcome.reason);
      quarantine({std::string(page.warc), page.offset, page.length, std::string(outcome.reason),
                  std::string(page.content.substr(0, WarcRecord::kMaxRawBytes))});
      break;
  }
  return false;
}

arrow::Status CheckReadable(const std::string& name, const ExtractCounts& counts) {
  if (counts.records == 0 || counts.quarantined.total() < counts.records) return arrow::Status::OK();
  std::string reasons;
  for (const auto& [reason, count] : counts.quarantined.counts()) {
    if (reason == kHttpMalformed || reason == kContentCoding) return arrow::Status::OK();  // its record was read
    reasons += (reasons.empty() ? "" : ", ") + reason;
  }
  return arrow::Status::IOError(name, ": no record in this file can be read (", reasons, "); is it a WARC file? ",
                                "With --max-bad N, such files are quarantined instead");
}

arrow::Result<std::unique_ptr<WarcDocuments>> WarcDocuments::Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                                  std::string name, const ExtractOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto reader, OpenWarc(std::move(file), name, options.limits));
  return std::make_unique<WarcDocuments>(std::move(reader), std::move(name), options);
}

arrow::Result<bool> WarcDocuments::Next(Document* document,
                                        const std::function<arrow::Status(const QuarantinedRecord&)>& quarantine,
                                        FullData* full) {
  if (full != nullptr && !counts_.body_bytes) counts_.body_bytes = 0;
  arrow::Status status;
  const auto take_bad = [&](const QuarantinedRecord& bad) { status &= quarantine(bad); };
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool more, reader_->Next(&record_, {}));
    if (!more) {
      CountFile(*reader_, &counts_);
      return false;
    }
    PageView page;
    if (TakePage(&record_, name_, &page, &counts_, take_bad)) {
      const PageOutcome outcome = extractor_.Extract(page, document, full);
      const bool taken = TakeOutcome(page, outcome, *document, &counts_, take_bad);
      if (taken && full != nullptr) {
        *counts_.body_bytes += static_cast<int64_t>(full->body.size());
      }
      if (taken) return true;
    }
    ARROW_RETURN_NOT_OK(status);
  }
}

}  // namespace uzushio
