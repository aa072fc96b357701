// Records of WARC files in batches, which threads share.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "datasets/quarantine_writer.h"
#include "document/document.h"
#include "document/full_data.h"
#include "stages/extract/counts.h"
#include "stages/extract/page_extractor.h"
#include "warc/members_reader.h"
#include "warc/warc_reader.h"

namespace uzushio {

// What is wanted of a file beside its documents.
struct BatchOptions {
  bool full_data = false;
  bool revisits = false;  // and what they may ask for
};

// The part of a file that a batch is.
struct BatchPlace {
  bool is_taken = false;  // as members, by whoever decodes them, before it is known that a member begins there
  int64_t begin = 0;      // of what was taken
  MemberPlace end;        // up to where it was read; of what was taken, decoded bytes are those of the batch
  bool is_whole = true;   // what was taken was read to its end
};

// Records of a file in order: pages to extract, and what has been decided about the others. Used again and again.
struct PageBatch {
  struct BadRecord {
    size_t pages_before = 0;  // in the batch
    QuarantinedRecord record;
  };

  int64_t sequence = 0;
  BatchPlace place;
  std::string members;          // what was taken, and is still to be read
  std::vector<char> bytes;      // what `pages` view, and room
  std::vector<PageView> pages;  // views of `bytes` once they are settled
  std::vector<BadRecord> quarantined;
  std::vector<Revisit> revisits;
  size_t other_bytes = 0;  // of quarantined records and revisits
  ExtractCounts counts;

  void Clear();
  // The records; what was taken stays.
  void ClearRecords();
};

// What became of a batch, or of a part of one.
struct PageResults {
  std::vector<Document> documents;
  std::vector<FullData> full;     // of the documents, where it is asked for
  std::vector<CaptureKeys> keys;  // the same, where revisits are
  std::vector<QuarantinedRecord> quarantined;
  std::vector<Revisit> revisits;
  ExtractCounts counts;
  int64_t bytes = 0;  // of the documents, their full data, quarantined records and revisits
  BatchPlace place;   // of the batch; its end in the last part alone
  bool is_last = false;

  void Add(Document document) {
    bytes += static_cast<int64_t>(document.bytes());
    documents.push_back(std::move(document));
  }
  void Add(FullData data) {
    counts.body_bytes = counts.body_bytes.value_or(0) + static_cast<int64_t>(data.body.size());
    bytes += static_cast<int64_t>(data.size());
    full.push_back(std::move(data));
  }
  void Add(QuarantinedRecord record) {
    bytes += static_cast<int64_t>(record.bytes.size());
    quarantined.push_back(std::move(record));
  }
  void Add(Revisit revisit) {
    bytes += static_cast<int64_t>(revisit.bytes());
    revisits.push_back(std::move(revisit));
  }
};

// Reads the next records of a file, of this name, into an empty batch. False when the file is at its end: then the
// batch has its sizes. `record` is memory that is used again.
arrow::Result<bool> ReadBatch(RecordReader* reader, const std::string& name, const BatchOptions& options,
                              WarcRecord* record, PageBatch* batch);

// Extracts the pages of batches.
class BatchProcessor {
 public:
  BatchProcessor(const ExtractOptions& options, const BatchOptions& wanted);

  // Extracts a batch's pages; where members were taken, it reads them first. `name` is the file's. `write` gets what
  // becomes of them in parts, in the order of the file: pages of some kilobytes may hold megabytes of text each.
  using Write = std::function<arrow::Status(PageResults)>;
  arrow::Status Process(const std::string& name, PageBatch* batch, const Write& write);

 private:
  arrow::Status ProcessMembers(const std::string& name, PageBatch* batch, const Write& write);
  arrow::Status ProcessRecords(PageBatch* batch, bool is_last, const Write& write);

  const BatchOptions wanted_;
  PageExtractor extractor_;
  MembersReader members_;
  WarcRecord record_;
};

}  // namespace uzushio
