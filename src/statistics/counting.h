// Counting paragraphs: of documents, and of statistics that are merged. The first step of `stats` and `merge`.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/status.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/counters.h"
#include "statistics/counted_paragraphs.h"

namespace uzushio {

struct CountedDocuments {
  int64_t documents = 0;
  int64_t left_out = 0;
  int64_t paragraphs = 0;
  int64_t text_bytes = 0;
  int64_t cuts = 0;  // in plain text, where a paragraph was too long
  Counters quarantined;

  void Add(const CountedDocuments& other);
};

// Which documents are left out.
struct DocumentLimits {
  int64_t max_bytes = 0;       // longer ones; 0: none
  int64_t max_paragraphs = 0;  // of more; 0: none
};

// Counts the paragraphs of documents, for one thread.
class DocumentCounter {
 public:
  DocumentCounter(const DocumentLimits& limits, SpillPartitions* target, const HashPartitioning& partitioning,
                  size_t buffer_bytes)
      : limits_(limits), counter_(target, partitioning, buffer_bytes) {}

  arrow::Status Add(std::string_view document);
  arrow::Status Finish() { return counter_.Finish(); }
  CountedDocuments& counts() { return counts_; }

 private:
  bool IsLeftOut(std::string_view document) const;

  const DocumentLimits limits_;
  ParagraphCounter counter_;
  std::string buffer_;
  CountedDocuments counts_;
};

// Counts what statistics say, final or intermediate. Errors: other columns or types, nulls, negative counts.
arrow::Status CountStatistics(const arrow::RecordBatch& batch, ParagraphCounter* counter);

}  // namespace uzushio
