#include "stages/extract/documents_ahead.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/guard.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "stages/extract/page_extractor.h"
#include "stages/extract/warc_documents.h"

namespace uzushio {
namespace {

constexpr int64_t kPartItself = int64_t{4} << 10;  // bytes of one that has nothing in it, of which there may be many

}  // namespace

DocumentsAhead::DocumentsAhead(std::vector<WarcSource> sources, const ExtractOptions& options, int threads)
    : sources_(std::move(sources)),
      options_(options),
      threads_(threads),
      parts_(kExtractResults, [this](const BoundedProducer<Part>::Push& push) { return Run(push); }) {}

arrow::Result<std::optional<DocumentsAhead::Part>> DocumentsAhead::Next() { return parts_.Next(); }

arrow::Status DocumentsAhead::Run(const BoundedProducer<Part>::Push& push) {
  OrderedResults<Part> results(kExtractResults * threads_, [&](Part part) {
    const int64_t bytes = part.results.bytes + kPartItself;
    return push(std::move(part), bytes);
  });
  std::mutex mutex;
  arrow::Status status;
  OnThreads(
      threads_, [&](int) { return Work(&results); },
      [&](const arrow::Status& error) {
        results.Fail(error);
        const std::lock_guard lock(mutex);
        if (status.ok()) status = error;
      });
  return status;
}

arrow::Status DocumentsAhead::Work(OrderedResults<Part>* results) {
  PageExtractor extractor(options_);
  PageBatch batch;
  while (true) {
    batch.Clear();
    const std::optional<Read> read = ReadNextBatch(&batch);
    if (!read) return arrow::Status::OK();
    if (!read->status.ok()) {  // in its turn: what is before it comes out
      Part part;
      part.source = read->source;
      part.status = read->status;
      ARROW_RETURN_NOT_OK(results->Add(read->item, std::move(part), kPartItself));
      return results->Finish(read->item);
    }
    std::vector<QuarantinedRecord> quarantined;
    ARROW_RETURN_NOT_OK(ProcessBatch(&extractor, {}, &batch, [&](PageResults done, bool last) {
      std::ranges::move(done.quarantined, std::back_inserter(quarantined));
      done.quarantined.clear();
      if (last) {
        std::ranges::stable_sort(quarantined, {}, &QuarantinedRecord::offset);
        done.quarantined = std::move(quarantined);
      }
      const int64_t bytes = done.bytes + kPartItself;
      return results->Add(read->item, {read->source, std::move(done), last && read->ends_source, {}}, bytes);
    }));
    ARROW_RETURN_NOT_OK(results->Finish(read->item));
  }
}

// Items are begun in the order of their numbers: both are had under one lock.
std::optional<DocumentsAhead::Read> DocumentsAhead::ReadNextBatch(PageBatch* batch) {
  const std::lock_guard lock(mutex_);
  if (source_ >= sources_.size()) return std::nullopt;
  Read read{items_++, source_, false, {}};
  arrow::Result<bool> more = true;
  read.status = Guarded([&] {
    more = ReadFromSource(batch);
    return more.status();
  });
  if (!read.status.ok()) {
    source_ = sources_.size();
  } else if (!*more) {
    read.ends_source = true;
    reader_.reset();
    ++source_;
  }
  return read;
}

arrow::Result<bool> DocumentsAhead::ReadFromSource(PageBatch* batch) {
  const WarcSource& source = sources_[source_];
  if (reader_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto file, source.open());
    ARROW_ASSIGN_OR_RAISE(reader_, OpenWarc(std::move(file), source.name, options_.limits));
  }
  return ReadBatch(reader_.get(), source.name, {}, &record_, batch);
}

}  // namespace uzushio
