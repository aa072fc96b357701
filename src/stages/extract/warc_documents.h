// The documents of one WARC file, one after another.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "datasets/quarantine_writer.h"
#include "stages/extract/counts.h"
#include "stages/extract/options.h"
#include "stages/extract/page_extractor.h"
#include "warc/warc_reader.h"

namespace uzushio {

// The most bytes of a record's content: a page with its HTTP header, perhaps compressed once more.
size_t MostContent(const PageLimits& limits);
// Opens a WARC file for the stage's limits. `name` is told in documents and errors.
arrow::Result<std::unique_ptr<WarcReader>> OpenWarc(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                    const std::string& name, const PageLimits& limits);

// Takes note of what was read of a file, at its end.
void CountFile(const RecordReader& reader, ExtractCounts* counts);

// Takes note of a record that gives no page: rejected, or damaged. True when it gives one.
bool TakePage(WarcRecord* record, const std::string& warc, PageView* page, ExtractCounts* counts,
              const std::function<void(QuarantinedRecord)>& quarantine);

// Takes note of what became of a page. True when it became a document.
bool TakeOutcome(const PageView& page, const PageOutcome& outcome, const Document& document, ExtractCounts* counts,
                 const std::function<void(QuarantinedRecord)>& quarantine);

// Errors: the file, of which these are the counts, has not one record that can be read.
arrow::Status CheckReadable(const std::string& name, const ExtractCounts& counts);

class WarcDocuments {
 public:
  static arrow::Result<std::unique_ptr<WarcDocuments>> Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                            std::string name, const ExtractOptions& options);
  // Of a file that `reader` reads; `name` is told in documents and errors.
  WarcDocuments(std::unique_ptr<RecordReader> reader, std::string name, const ExtractOptions& options)
      : reader_(std::move(reader)), name_(std::move(name)), extractor_(options) {}

  // The next document, and its full data unless that is null; false at the end, where the counts are complete.
  // `quarantine` gets damaged records.
  arrow::Result<bool> Next(Document* document, const std::function<arrow::Status(const QuarantinedRecord&)>& quarantine,
                           FullData* full = nullptr);

  const ExtractCounts& counts() const { return counts_; }

 private:
  std::unique_ptr<RecordReader> reader_;
  const std::string name_;
  PageExtractor extractor_;
  WarcRecord record_;
  ExtractCounts counts_;
};

}  // namespace uzushio
