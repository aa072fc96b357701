#include "stages/extract/documents_ahead.h"

#include <cstdint>
#include <utility>

#include "base/guard.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "stages/extract/warc_documents.h"

namespace uzushio {
namespace {

constexpr int64_t kPartItself = int64_t{4} << 10;  // bytes of one that has nothing in it, of which there may be many
// Of a file, for each thread: at the end of a file whose members several threads decode, they wait for each other.
constexpr int64_t kLeastShared = int64_t{1} << 20;

}  // namespace

DocumentsAhead::DocumentsAhead(std::vector<WarcSource> sources, const ExtractOptions& options, int threads)
    : sources_(std::move(sources)),
      options_(options),
      threads_(threads),
      parts_(kExtractResults, [this](const BoundedProducer<Part>::Push& push) { return Run(push); }) {}

arrow::Result<std::optional<DocumentsAhead::Part>> DocumentsAhead::Next() { return parts_.Next(); }

arrow::Status DocumentsAhead::Run(const BoundedProducer<Part>::Push& push) {
  OrderedResults<Processed> results(kExtractResults * threads_, [&](Processed processed) {
    if (!Use(processed)) return arrow::Status::OK();
    const int64_t bytes = processed.part.results.bytes + kPartItself;
    return push(std::move(processed.part), bytes);
  });
  arrow::Status status;
  OnThreads(
      threads_, [&](int) { return Work(&results); },
      [&](const arrow::Status& error) {
        results.Fail(error);
        const std::lock_guard lock(mutex_);
        if (status.ok()) status = error;
        has_failed_ = true;
        used_.notify_all();
      });
  return status;
}

// Whether anybody is to see it; lets go of those who wait for the next batch of its file.
bool DocumentsAhead::Use(const Processed& processed) {
  if (processed.batches == nullptr) return true;
  const bool is_of_file = processed.batches->Use(processed.part.results);
  const std::lock_guard lock(mutex_);
  used_.notify_all();
  return is_of_file;
}

arrow::Status DocumentsAhead::Work(OrderedResults<Processed>* results) {
  BatchProcessor processor(options_, {});
  PageBatch batch;
  while (true) {
    batch.Clear();
    const std::optional<Read> read = ReadNextBatch(&batch);
    if (!read) return arrow::Status::OK();
    if (!read->status.ok()) {  // in its turn: what is before it comes out
      Part part;
      part.source = read->source;
      part.status = read->status;
      ARROW_RETURN_NOT_OK(results->Add(read->item, {std::move(part), nullptr}, kPartItself));
      return results->Finish(read->item);
    }
    const std::string& name = sources_[read->source].name;
    ARROW_RETURN_NOT_OK(processor.Process(name, &batch, [&](PageResults done) {
      const int64_t bytes = done.bytes + kPartItself;
      const bool ends_source = done.is_last && read->ends_source;
      return results->Add(read->item, {{read->source, std::move(done), ends_source, {}}, read->batches}, bytes);
    }));
    ARROW_RETURN_NOT_OK(results->Finish(read->item));
  }
}

// Items are begun in the order of their numbers: both are had under one lock.
std::optional<DocumentsAhead::Read> DocumentsAhead::ReadNextBatch(PageBatch* batch) {
  std::unique_lock lock(mutex_);
  while (source_ < sources_.size() && !has_failed_) {
    Read read{items_, source_, false, nullptr, {}};
    auto state = FileBatches::State::kBatch;
    read.status = Guarded([&] { return ReadFromSource(batch).Value(&state); });
    if (read.status.ok() && state == FileBatches::State::kWait) {
      used_.wait(lock);
      continue;
    }
    ++items_;
    read.batches = batches_;
    if (!read.status.ok()) {
      source_ = sources_.size();
    } else if (state == FileBatches::State::kLast) {
      read.ends_source = true;
      batches_ = nullptr;
      ++source_;
    }
    return read;
  }
  return std::nullopt;
}

arrow::Result<FileBatches::State> DocumentsAhead::ReadFromSource(PageBatch* batch) {
  const WarcSource& source = sources_[source_];
  if (batches_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto file, source.open());
    ARROW_ASSIGN_OR_RAISE(auto reader, OpenWarc(std::move(file), source.name, options_.limits));
    batches_ = std::make_shared<FileBatches>(std::move(reader), source.name, BatchOptions());
    if (threads_ > 1 && batches_->file_size() >= threads_ * kLeastShared) batches_->Share();
  }
  return batches_->Next(batch);
}

}  // namespace uzushio
