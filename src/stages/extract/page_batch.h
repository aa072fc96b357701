// Records of WARC files in batches, which threads share.
#pragma once

#include <arrow/result.h>

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
#include "warc/warc_reader.h"

namespace uzushio {

// What is wanted of a file beside its documents.
struct BatchOptions {
  bool full_data = false;
  bool revisits = false;  // and what they may ask for
};

// Records of a file in order: pages to extract, and what has been decided about the others. Used again and again.
struct PageBatch {
  int64_t sequence = 0;
  std::vector<char> bytes;      // what `pages` view, and room
  std::vector<PageView> pages;  // views of `bytes` once they are settled
  std::vector<QuarantinedRecord> quarantined;
  std::vector<Revisit> revisits;
  size_t other_bytes = 0;  // of quarantined records and revisits
  ExtractCounts counts;

  void Clear();
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

// Extracts a batch's pages. `write` gets what becomes of them in parts: pages of some kilobytes may hold megabytes of
// text each.
arrow::Status ProcessBatch(PageExtractor* extractor, const BatchOptions& options, PageBatch* batch,
                           const std::function<arrow::Status(PageResults, bool last)>& write);

}  // namespace uzushio
