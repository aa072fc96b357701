#include "stages/extract/page_batch.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/memory_plan.h"
#include "stages/extract/warc_documents.h"

namespace uzushio {
namespace {

// Work is handed out by batches: large enough that handing out costs nothing, small enough to stay in the second-level
// cache and to share a single file among threads.
constexpr auto kPagesBytes = static_cast<size_t>(kExtractBatch);
// Behind the pages of a batch, for a record that is decoded there.
constexpr size_t kRecordRoom = size_t{1} << 20;
constexpr size_t kBatchPages = 256;
constexpr int64_t kBatchRecords = 4096;  // those that give no page, too: whoever reads looks up from time to time

// Keeps a batch's pages where their records were decoded, in room of its own, or copies of them.
class PageBatchBuilder {
 public:
  // `with_header`: for full data.
  PageBatchBuilder(PageBatch* batch, bool with_header) : batch_(*batch), with_header_(with_header) {
    if (batch_.bytes.empty()) batch_.bytes.resize(kPagesBytes + kRecordRoom);
  }

  bool full() const {
    return used_ + batch_.other_bytes >= kPagesBytes || batch_.pages.size() >= kBatchPages ||
           batch_.counts.records >= kBatchRecords;
  }

  // Where the next record may be decoded.
  std::span<char> room() { return std::span(batch_.bytes).subspan(used_); }

  void Add(PageView page) {
    if (!with_header_) page.header = {};
    Starts& starts = starts_.emplace_back();
    const auto parts = Parts(&page);
    for (size_t i = 0; i < parts.size(); ++i) starts[i] = Keep(*parts[i]);
    batch_.pages.push_back(page);
    used_ = end_;
  }

  // Points the pages at their bytes, once these stay where they are.
  void Settle() {
    for (size_t i = 0; i < starts_.size(); ++i) {
      const auto parts = Parts(&batch_.pages[i]);
      for (size_t j = 0; j < parts.size(); ++j) {
        *parts[j] = {batch_.bytes.data() + starts_[i][j], parts[j]->size()};
      }
    }
  }

 private:
  using Starts = std::array<size_t, 5>;

  static std::array<std::string_view*, 5> Parts(PageView* page) {
    return {&page->content, &page->record_id, &page->url, &page->date, &page->header};
  }

  // Where in the batch's bytes a part is, if need be from now on.
  size_t Keep(std::string_view part) {
    const std::less_equal<const char*> before;
    const char* const begin = batch_.bytes.data();
    const bool there = before(begin, part.data()) && before(part.data() + part.size(), begin + batch_.bytes.size());
    const size_t start = there ? static_cast<size_t>(part.data() - begin) : end_;
    if (!there && batch_.bytes.size() - end_ < part.size()) batch_.bytes.resize(end_ + part.size() + kRecordRoom);
    if (!there) std::ranges::copy(part, batch_.bytes.begin() + static_cast<std::ptrdiff_t>(end_));
    end_ = std::max(end_, start + part.size());
    return start;
  }

  PageBatch& batch_;
  const bool with_header_;
  size_t used_ = 0;  // bytes of pages
  size_t end_ = 0;   // the same, with those of the page that is being added
  std::vector<Starts> starts_;
};

}  // namespace

void PageBatch::Clear() {
  ClearRecords();
  place = {};
  if (members.capacity() > kPagesBytes + kRecordRoom) std::string().swap(members);
  members.clear();
}

void PageBatch::ClearRecords() {
  if (bytes.size() > kPagesBytes + kRecordRoom) std::vector<char>().swap(bytes);
  pages.clear();
  quarantined.clear();
  revisits.clear();
  other_bytes = 0;
  counts = {};
}

arrow::Result<bool> ReadBatch(RecordReader* reader, const std::string& name, const BatchOptions& options,
                              WarcRecord* record, PageBatch* batch) {
  PageBatchBuilder builder(batch, options.full_data);
  const auto quarantine = [batch](QuarantinedRecord bad) {
    batch->other_bytes += bad.bytes.size();
    batch->quarantined.push_back({batch->pages.size(), std::move(bad)});
  };
  bool more = true;
  while (!builder.full()) {
    ARROW_ASSIGN_OR_RAISE(more, reader->Next(record, builder.room()));
    if (!more) {
      CountFile(*reader, &batch->counts);
      break;
    }
    PageView page;
    if (TakePage(record, name, &page, &batch->counts, quarantine)) {
      if (options.revisits) page.keys = KeysOfPage(record->headers);
      builder.Add(page);
    } else if (auto revisit = options.revisits ? ReadRevisit(*record) : std::nullopt) {
      batch->other_bytes += revisit->bytes();
      batch->revisits.push_back(*std::move(revisit));
    }
  }
  builder.Settle();
  return more;
}

BatchProcessor::BatchProcessor(const ExtractOptions& options, const BatchOptions& wanted)
    : wanted_(wanted), extractor_(options), members_(MostContent(options.limits), options.limits.max_inflation) {}

arrow::Status BatchProcessor::Process(const std::string& name, PageBatch* batch, const Write& write) {
  return batch->place.is_taken ? ProcessMembers(name, batch, write) : ProcessRecords(batch, true, write);
}

arrow::Status BatchProcessor::ProcessMembers(const std::string& name, PageBatch* batch, const Write& write) {
  ARROW_RETURN_NOT_OK(members_.Begin(batch->members, batch->place.begin));
  for (bool more = true; more;) {
    batch->ClearRecords();
    ARROW_ASSIGN_OR_RAISE(more, ReadBatch(&members_, name, wanted_, &record_, batch));
    batch->place.end = members_.place();
    batch->place.is_whole = members_.is_whole();
    ARROW_RETURN_NOT_OK(ProcessRecords(batch, !more, write));
  }
  return arrow::Status::OK();
}

arrow::Status BatchProcessor::ProcessRecords(PageBatch* batch, bool is_last, const Write& write) {
  PageResults result;
  const auto hand_on = [&](bool last) {
    result.place = batch->place;
    result.is_last = last;
    return write(std::exchange(result, {}));
  };
  result.counts = std::move(batch->counts);
  for (Revisit& revisit : batch->revisits) result.Add(std::move(revisit));
  const auto quarantine = [&result](QuarantinedRecord bad) { result.Add(std::move(bad)); };
  auto bad = batch->quarantined.begin();
  for (size_t i = 0; i < batch->pages.size(); ++i) {
    for (; bad != batch->quarantined.end() && bad->pages_before <= i; ++bad) result.Add(std::move(bad->record));
    const PageView& page = batch->pages[i];
    Document document;
    FullData full;
    const PageOutcome outcome = extractor_.Extract(page, &document, wanted_.full_data ? &full : nullptr);
    if (TakeOutcome(page, outcome, document, &result.counts, quarantine)) {
      result.Add(std::move(document));
      if (wanted_.full_data) result.Add(std::move(full));
      if (wanted_.revisits) result.keys.push_back(page.keys);
    }
    if (result.bytes >= kExtractResults) ARROW_RETURN_NOT_OK(hand_on(false));
  }
  for (; bad != batch->quarantined.end(); ++bad) result.Add(std::move(bad->record));
  return hand_on(is_last);
}

}  // namespace uzushio
