// The documents of WARC files in order, extracted by several threads ahead of whoever asks for them.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/bounded_producer.h"
#include "base/ordered.h"
#include "stages/extract/file_batches.h"
#include "stages/extract/options.h"
#include "stages/extract/page_batch.h"

namespace uzushio {

// A WARC file to be read. `open` is called by one thread at a time, which may be any.
struct WarcSource {
  std::string name;  // told in documents and errors
  std::function<arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>>()> open;
};

// One thread at a time takes a batch of records, those of one file after those of another; all extract batches, and
// what they give is put in order. So one large file occupies all threads, as do many small ones. What is ahead is
// bounded by bytes, for each thread those that `extract` needs. What comes out does not depend on the threads, nor does
// how much comes out before an error.
class DocumentsAhead {
 public:
  // What became of a batch of records, or of a part of one.
  struct Part {
    size_t source = 0;
    PageResults results;       // in the order of the file
    bool ends_source = false;  // all of this source has come
    arrow::Status status;      // an error in reading the source: nothing comes behind
  };

  // Threads are started by the first Next.
  DocumentsAhead(std::vector<WarcSource> sources, const ExtractOptions& options, int threads);

  // The next part; nothing at the end.
  arrow::Result<std::optional<Part>> Next();

 private:
  // A batch that was read, and what it is.
  struct Read {
    size_t item = 0;
    size_t source = 0;
    bool ends_source = false;
    std::shared_ptr<FileBatches> batches;
    arrow::Status status;
  };
  struct Processed {
    Part part;
    std::shared_ptr<FileBatches> batches;  // of which it is; null for an error
  };

  arrow::Status Run(const BoundedProducer<Part>::Push& push);
  arrow::Status Work(OrderedResults<Processed>* results);
  std::optional<Read> ReadNextBatch(PageBatch* batch);
  arrow::Result<FileBatches::State> ReadFromSource(PageBatch* batch);
  bool Use(const Processed& processed);

  const std::vector<WarcSource> sources_;
  const ExtractOptions options_;
  const int threads_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable used_;
  std::shared_ptr<FileBatches> batches_;
  size_t source_ = 0;
  size_t items_ = 0;
  bool has_failed_ = false;

  BoundedProducer<Part> parts_;  // the last: its threads end first
};

}  // namespace uzushio
