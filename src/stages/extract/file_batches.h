// The batches of one file, taken by several threads and used in order.
#pragma once

#include <arrow/result.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "stages/extract/page_batch.h"
#include "warc/warc_reader.h"

namespace uzushio {

// Where threads wait for each other, a batch of a gzip file is members that are decoded by the thread which has it.
// Where a member begins is a guess then: what decodes to a record, wherever it lies, looks like one. It is true where
// the batch before ends there. If not, or if there is anything but sound members with a record each, what was taken
// from there on is dropped, and a reader that knows all that came before goes on.
//
// Records, their order and their counts are those of one reader.
class FileBatches {
 public:
  FileBatches(std::unique_ptr<RecordReader> reader, std::string name, const BatchOptions& wanted)
      : reader_(std::move(reader)), name_(std::move(name)), wanted_(wanted) {}

  // Threads wait for each other. Of any thread.
  void Share() { is_shared_ = true; }

  enum class State {
    kBatch,
    kLast,  // a batch, with the file's sizes in its counts
    kWait,  // until more of the batches are used; then there is one
  };
  // Takes the next batch, into one that is empty. By one thread at a time.
  arrow::Result<State> Next(PageBatch* batch);
  int64_t file_position() const { return reader_->file_position(); }
  int64_t file_size() const { return reader_->file_size(); }

  // Whether what became of a batch, or of a part of one, is of the file; else nobody is to see it. To be asked of each
  // part, in the order of batches and parts.
  bool Use(const PageResults& part);

 private:
  arrow::Result<bool> TakeMembers(PageBatch* batch);
  bool IsBroken();
  bool GoOn();

  const std::unique_ptr<RecordReader> reader_;
  const std::string name_;
  const BatchOptions wanted_;
  WarcRecord record_;
  std::atomic<bool> is_shared_ = false;
  bool is_exact_ = true;    // the reader has read all that is before it
  bool must_read_ = false;  // members could not be taken
  int failed_ = 0;          // how often that was so, one after another

  std::mutex mutex_;   // guards what follows
  int64_t taken_ = 0;  // batches
  int64_t used_ = 0;
  int64_t kept_ = 0;        // of those that were used
  bool is_broken_ = false;  // what was taken and not yet used is dropped
  int64_t breaks_ = 0;
  MemberPlace end_;  // of what was used
};

}  // namespace uzushio
