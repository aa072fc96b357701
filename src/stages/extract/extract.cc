#include "stages/extract/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "base/json.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/documents_writer.h"
#include "datasets/full_data_writer.h"
#include "datasets/quarantine_writer.h"
#include "stages/extract/file_batches.h"
#include "stages/extract/indexed_reader.h"
#include "stages/extract/page_batch.h"
#include "stages/extract/part_name.h"
#include "stages/extract/revisits.h"
#include "stages/extract/warc_documents.h"
#include "storage/local_files.h"
#include "storage/output_folder.h"
#include "storage/store_place.h"

namespace uzushio {

const std::vector<std::string_view> kWarcSuffixes = {".warc", ".warc.gz", ".warc.zst", ".warc.lz4",
                                                     ".wet",  ".wet.gz",  ".arc",      ".arc.gz"};

namespace {

// Batches of one file that may be read and not yet written, for each thread.
constexpr int64_t kBatchesAhead = 8;
// Where notes for revisits are, below the output, until it is committed.
constexpr std::string_view kNotesFolder = ".uzushio/revisits/";

BatchOptions BatchesOf(const ExtractConfig& config) {
  return {.full_data = config.full_data.has_value(), .revisits = config.revisits == Revisits::kResolved};
}

// One input file on its way: read in order by whichever thread has its reader, processed by any, written in order.
class InputJob {
 public:
  // `part` gets the record of the file when it is finished. `plan` is null where files are read whole.
  InputJob(const ExtractConfig& config, const IndexPlan* plan, OutputFolder* output, size_t index, nlohmann::json* part)
      : input_(config.inputs[index]),
        config_(config),
        plan_(plan),
        index_(index),
        output_(*output),
        name_(PartName(index)),
        part_(*part),
        documents_(output->work(), name_),
        quarantine_(output->work(), name_) {
    if (config.revisits == Revisits::kResolved) notes_.emplace(output->work(), std::string(kNotesFolder) + name_);
    if (!config.full_data) return;
    full_data_.emplace(output->work(), name_, *config.full_data);
    counts_.body_bytes = 0;
  }

  enum class ReadState { kBatch, kBusy, kEnd };

  // Reads the next batch, unless another thread is reading, too much is on its way, or the file is at its end.
  arrow::Result<ReadState> TryRead(PageBatch* batch) {
    const std::unique_lock lock(read_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) is_shared_ = true;
    if (!lock.owns_lock() || read_ - written_.load() > kBatchesAhead * config_.threads) return ReadState::kBusy;
    if (at_end_) return ReadState::kEnd;
    if (batches_ == nullptr) ARROW_RETURN_NOT_OK(Open());
    if (is_shared_) batches_->Share();
    ReadState state = ReadState::kBatch;
    const arrow::Status status = Guarded([&] { return ReadNext(batch, &state); });
    at_end_ = at_end_ || !status.ok();  // nobody reads on
    ARROW_RETURN_NOT_OK(status);
    if (state == ReadState::kBatch) batch->sequence = read_++;
    return state;
  }

  // Takes a part of a processed batch, and writes what is next in order. Waits while too much is there to be written,
  // unless it is this batch's turn. True for the call that completes the file.
  arrow::Result<bool> Write(int64_t sequence, PageResults part) {
    std::unique_lock lock(write_mutex_);
    room_.wait(lock, [&] {
      return failed_ || kept_bytes_ < kExtractResults * config_.threads || (sequence == written_.load() && !writing_);
    });
    if (failed_) return false;  // the error is that of another call
    Processed& processed = processed_[sequence];
    kept_bytes_ += part.bytes;
    processed.whole = part.is_last;
    processed.parts.push_back(std::move(part));
    if (writing_) return false;
    writing_ = true;
    const arrow::Status status = Guarded([&] { return WriteParts(&lock); });
    if (!lock.owns_lock()) lock.lock();
    writing_ = false;
    failed_ |= !status.ok();
    room_.notify_all();
    ARROW_RETURN_NOT_OK(status);
    if (finished_ || !at_end_ || written_.load() != total_.load()) return false;
    finished_ = true;
    lock.unlock();
    ARROW_RETURN_NOT_OK(Finish());
    return true;
  }

  // Nothing more is written: a batch whose turn it is will not come. Those who wait for it go on.
  void Fail() {
    const std::lock_guard lock(write_mutex_);
    failed_ = true;
    room_.notify_all();
  }

  const std::string& name() const { return input_.name; }
  int64_t position() const { return position_.load(); }
  int64_t documents() const { return documents_done_.load(); }
  // The file as it was when it was opened by an index; without a file system where it was not, or is not there.
  const InputFile& opened() const { return opened_; }

 private:
  arrow::Status Open() {
    std::unique_ptr<RecordReader> reader;
    if (plan_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(reader, OpenByIndex(input_, plan_->records, plan_->of[index_], config_.index.reading.gap,
                                                config_.options.limits, &opened_));
    } else {
      ARROW_ASSIGN_OR_RAISE(auto file, input_.filesystem->OpenInputFile(input_.path));
      ARROW_ASSIGN_OR_RAISE(reader, OpenWarc(std::move(file), input_.name, config_.options.limits));
    }
    batches_ = std::make_unique<FileBatches>(std::move(reader), input_.name, BatchesOf(config_));
    return arrow::Status::OK();
  }

  arrow::Status ReadNext(PageBatch* batch, ReadState* state) {
    ARROW_ASSIGN_OR_RAISE(const FileBatches::State taken, batches_->Next(batch));
    if (taken == FileBatches::State::kWait) *state = ReadState::kBusy;
    if (taken == FileBatches::State::kLast) {
      total_ = read_ + 1;
      at_end_ = true;
    }
    // What is read once more was told before.
    position_ = at_end_ ? batches_->file_size() : std::max(position_.load(), batches_->file_position());
    return arrow::Status::OK();
  }

  // Of a batch's parts, those that have come.
  struct Processed {
    std::deque<PageResults> parts;
    bool whole = false;
  };

  // Writes what there is of the batches whose turn it is; without the lock, while it writes.
  arrow::Status WriteParts(std::unique_lock<std::mutex>* lock) {
    while (!processed_.empty() && processed_.begin()->first == written_.load()) {
      Processed& first = processed_.begin()->second;
      if (!first.parts.empty()) {
        const PageResults next = std::move(first.parts.front());
        first.parts.pop_front();
        lock->unlock();
        const arrow::Status status = WriteBatch(next);
        lock->lock();
        ARROW_RETURN_NOT_OK(status);
        kept_bytes_ -= next.bytes;
        room_.notify_all();
      } else if (first.whole) {
        processed_.erase(processed_.begin());
        ++written_;
      } else {
        break;
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status WriteBatch(const PageResults& batch) {
    if (!batches_->Use(batch)) return arrow::Status::OK();
    for (const Document& document : batch.documents) ARROW_RETURN_NOT_OK(documents_.Append(document));
    for (size_t i = 0; i < batch.full.size(); ++i) {
      ARROW_RETURN_NOT_OK(full_data_->Append(batch.documents[i], batch.full[i]));
    }
    for (size_t i = 0; i < batch.keys.size(); ++i) {
      ARROW_RETURN_NOT_OK(notes_->AddDocument(batch.documents[i].language, batch.keys[i]));
    }
    for (const Revisit& revisit : batch.revisits) ARROW_RETURN_NOT_OK(notes_->Add(revisit));
    for (const QuarantinedRecord& record : batch.quarantined) ARROW_RETURN_NOT_OK(quarantine_.Append(record));
    counts_.Add(batch.counts);
    documents_done_ += batch.counts.documents;
    return arrow::Status::OK();
  }

  arrow::Status Finish() {
    if (counts_.records != counts_.documents + counts_.rejected.total() + counts_.quarantined.total()) {
      return arrow::Status::UnknownError(input_.name, ": the counts do not add up; this is a fault of the program");
    }
    if (!config_.allow_unreadable && plan_ == nullptr) ARROW_RETURN_NOT_OK(CheckReadable(input_.name, counts_));
    ARROW_ASSIGN_OR_RAISE(std::vector<WrittenFile> files, documents_.Finish());
    if (full_data_) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> full, full_data_->Finish());
      files.insert(files.end(), full.begin(), full.end());
    }
    ARROW_RETURN_NOT_OK(quarantine_.Finish());
    if (auto quarantined = quarantine_.written()) files.push_back(*std::move(quarantined));
    if (notes_) {
      ARROW_ASSIGN_OR_RAISE(auto notes, notes_->Finish());
      if (notes) files.push_back(*std::move(notes));
    }
    part_ = {{"counts", counts_.ToJson()}, {"files", files}};
    return output_.FinishPart(name_, part_);
  }

  const InputFile& input_;
  const ExtractConfig& config_;
  const IndexPlan* const plan_;
  const size_t index_;
  InputFile opened_;
  OutputFolder& output_;
  const std::string name_;
  nlohmann::json& part_;

  std::mutex read_mutex_;  // guards reading, and read_
  std::unique_ptr<FileBatches> batches_;
  std::atomic<bool> is_shared_ = false;
  int64_t read_ = 0;  // batches
  std::atomic<bool> at_end_ = false;
  std::atomic<int64_t> total_ = -1;
  std::atomic<int64_t> position_ = 0;

  std::mutex write_mutex_;  // guards what follows
  std::condition_variable room_;
  std::map<int64_t, Processed> processed_;
  int64_t kept_bytes_ = 0;  // of processed_
  bool writing_ = false;
  bool failed_ = false;
  bool finished_ = false;
  std::atomic<int64_t> written_ = 0;  // batches
  std::atomic<int64_t> documents_done_ = 0;
  DocumentsWriter documents_;  // used by the thread that set writing_
  std::optional<FullDataWriter> full_data_;
  std::optional<RevisitNotes> notes_;
  QuarantineWriter quarantine_;
  ExtractCounts counts_;
};

// Hands out the input files that have no record in `parts` yet and, when none is left, shares of those that others
// read. The largest come first, so that threads are done at about the same time (Graham 1969).
class Scheduler {
 public:
  Scheduler(const ExtractConfig& config, const IndexPlan* plan, OutputFolder* output,
            std::vector<nlohmann::json>* parts, const std::function<void(const ExtractProgress&)>& on_progress)
      : config_(config),
        plan_(plan),
        output_(*output),
        parts_(*parts),
        stop_(StopScope::Current()),
        on_progress_(on_progress) {
    for (size_t i = 0; i < config.inputs.size(); ++i) {
      const int64_t size = config.inputs[i].size;
      progress_.bytes_total += size;
      if (parts_[i].is_null()) {
        waiting_.push_back(i);
      } else {
        progress_.bytes_done += size;
      }
    }
    std::ranges::stable_sort(waiting_, std::ranges::greater(), [&](size_t i) { return config.inputs[i].size; });
  }

  arrow::Status Run() {
    OnThreads(
        config_.threads, [this](int) { return Work(); },
        [this](const arrow::Status& error) {
          const std::lock_guard lock(mutex_);
          Fail(error);
        });
    return status_;
  }

  // The files that were opened by an index.
  const std::vector<InputFile>& opened() const { return opened_; }

 private:
  // Ends when all is done, or something failed.
  arrow::Status Work() {
    BatchProcessor processor(config_.options, BatchesOf(config_));
    std::shared_ptr<InputJob> own;
    PageBatch batch;
    while (true) {
      batch.Clear();
      const std::shared_ptr<InputJob> job = NextBatch(&own, &batch);
      if (job == nullptr) return arrow::Status::OK();
      bool complete = false;
      const arrow::Status status = processor.Process(job->name(), &batch, [&](PageResults part) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(complete, job->Write(batch.sequence, std::move(part)));
        return arrow::Status::OK();
      });
      const std::lock_guard lock(mutex_);
      if (!status.ok()) Fail(status);
      if (complete) Complete(job);
      if (const arrow::Status stopped = stop_.Poll(); !stopped.ok()) Fail(stopped);
      Report();
      changed_.notify_all();
    }
  }

  // A batch of the thread's own file, else of a new one, else of any. Null when all is done, or something failed.
  std::shared_ptr<InputJob> NextBatch(std::shared_ptr<InputJob>* own, PageBatch* batch) {
    std::unique_lock lock(mutex_);
    while (status_.ok() && (!active_.empty() || !waiting_.empty())) {
      if (*own == nullptr && !waiting_.empty()) {
        const size_t index = waiting_.front();
        waiting_.pop_front();
        *own = std::make_shared<InputJob>(config_, plan_, &output_, index, &parts_[index]);
        active_.push_back(*own);
      }
      std::vector<std::shared_ptr<InputJob>> candidates;
      if (*own != nullptr) candidates.push_back(*own);
      if (waiting_.empty()) candidates.insert(candidates.end(), active_.begin(), active_.end());
      const int64_t seen = changes_;
      lock.unlock();
      for (const std::shared_ptr<InputJob>& job : candidates) {
        const auto state = job->TryRead(batch);
        if (!state.ok()) {
          lock.lock();
          Fail(state.status());
          return nullptr;
        }
        if (*state == InputJob::ReadState::kBatch) {
          lock.lock();
          ++changes_;  // another thread may wait for this reader
          changed_.notify_all();
          return job;
        }
        if (*state == InputJob::ReadState::kEnd && job == *own) own->reset();
      }
      lock.lock();
      if (*own == nullptr && !waiting_.empty()) continue;
      changed_.wait(lock, [&] { return changes_ != seen || !status_.ok(); });
    }
    return nullptr;
  }

  void Complete(const std::shared_ptr<InputJob>& job) {
    progress_.bytes_done += job->position();
    progress_.documents += job->documents();
    if (job->opened().filesystem != nullptr) opened_.push_back(job->opened());
    std::erase(active_, job);
  }

  void Report() {
    ++changes_;
    if (!on_progress_) return;
    ExtractProgress progress = progress_;
    for (const auto& job : active_) {
      progress.bytes_done += job->position();
      progress.documents += job->documents();
    }
    on_progress_(progress);
  }

  void Fail(const arrow::Status& status) {
    if (status_.ok()) status_ = status;
    for (const auto& job : active_) job->Fail();
    ++changes_;
    changed_.notify_all();
  }

  const ExtractConfig& config_;
  const IndexPlan* const plan_;
  std::vector<InputFile> opened_;
  OutputFolder& output_;
  std::vector<nlohmann::json>& parts_;  // one's record is written by the thread that completes the file
  const arrow::StopToken stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t changes_ = 0;
  std::deque<size_t> waiting_;
  std::vector<std::shared_ptr<InputJob>> active_;
  arrow::Status status_;
  ExtractProgress progress_;
  const std::function<void(const ExtractProgress&)>& on_progress_;
};

// What makes two runs the same run.
arrow::Result<nlohmann::json> RunIdentity(const ExtractConfig& config) {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json configuration, DeclaredExtract().IdentityOf(config));
  return IdentityOfRun("extract", config.inputs, configuration);
}

// Adds documents to finished parts, for revisits of their pages. Of the counts so far, these revisits were rejected.
arrow::Status AddRevisits(const ExtractConfig& config, const std::filesystem::path& folder,
                          const std::vector<nlohmann::json>& parts, ExtractCounts* counts, nlohmann::json* files) {
  std::vector<NotedInput> inputs(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    inputs[i].name = config.inputs[i].name;
    ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> written, ReadWrittenFiles(parts[i]));
    for (const WrittenFile& file : written) {
      if (file.path.starts_with(kNotesFolder)) inputs[i].notes = file;
      if (file.path.starts_with("language=")) inputs[i].documents.push_back(file);
    }
  }
  ARROW_ASSIGN_OR_RAISE(
      const ResolvedRevisits resolved,
      ResolveRevisits(folder, inputs, static_cast<int64_t>(config.options.limits.max_inflation), config.threads));
  constexpr std::string_view kRejectedType = "warc-type/revisit";
  Counters rejected;
  for (const auto& [reason, count] : counts->rejected.counts()) {
    const int64_t others = resolved.counts.documents + resolved.unresolved + resolved.inflated;
    const int64_t left = reason == kRejectedType ? count - others : count;
    if (left > 0) rejected.Add(reason, left);
  }
  if (resolved.unresolved > 0) rejected.Add("revisit-unresolved", resolved.unresolved);
  if (resolved.inflated > 0) rejected.Add("inflation", resolved.inflated);
  counts->Add(resolved.counts);
  counts->rejected = rejected;
  if (counts->records != counts->documents + counts->rejected.total() + counts->quarantined.total()) {
    return arrow::Status::UnknownError("the counts of revisits do not add up; this is a fault of the program");
  }
  for (const WrittenFile& file : resolved.files) files->push_back(file);
  return arrow::Status::OK();
}

}  // namespace

const Options<ExtractConfig>& DeclaredExtract() {
  static const auto options =
      Options<ExtractConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .Choice("full-data", &ExtractConfig::full_data, kShardFormats,
                  "Also write .uzushio/full-data/: headers, the bytes of the page, paragraphs with their "
                  "paths; jsonl is jsonl.gz")
          .Identity("full_data",
                    [](const ExtractConfig& config) {
                      return config.full_data ? nlohmann::json(EndingOf(*config.full_data)) : LeftOut();
                    })
          .ImplicitValue("parquet")
          .InShortHelp()
          .Choice("revisits", &ExtractConfig::revisits,
                  Choices<Revisits>{{"rejected", Revisits::kRejected}, {"resolved", Revisits::kResolved}},
                  "Reject records that say that a page has not changed, or make each a document of its own, with "
                  "the text of the page that it repeats, if that is one")
          .IdentityUnlessDefault()
          .Frontends(kOnCommandLine | kInPython)
          .With(DeclaredExtractOptions(), &ExtractConfig::options)
          .Group("Reading by an index of a crawl (docs/crawl.md)")
          .With(DeclaredIndexSelection(), &ExtractConfig::index)
          .With(DeclaredTmp(" of the index"))
          .Frontends(kOnCommandLine | kInPython);
  return options;
}

arrow::Status CheckRevisits(const ExtractConfig& given) {
  if (given.revisits == Revisits::kResolved && given.full_data) {
    return arrow::Status::Invalid("--revisits resolved: not with --full-data; revisits have no page of their own");
  }
  if (given.revisits == Revisits::kResolved && given.index.is_given()) {
    return arrow::Status::Invalid("--revisits resolved: not with --index, whose tables have no revisits; give INPUT");
  }
  return arrow::Status::OK();
}

arrow::Status CheckWays(const std::vector<std::string>& inputs, const ExtractConfig& given) {
  ARROW_RETURN_NOT_OK(CheckRevisits(given));
  if (given.index.is_given()) {
    return inputs.empty()
               ? arrow::Status::OK()
               : arrow::Status::Invalid("--index says which files are read; '", WithoutCredentials(inputs.front()),
                                        "' beside it is none of its tables");
  }
  if (inputs.empty()) {
    return arrow::Status::Invalid("extract: missing INPUT, WARC files, folders or globs; or give --index TABLE");
  }
  if (AsksForTables(given.index) || (!given.tmp.empty() && !IsOnStore(given.output))) {
    return arrow::Status::Invalid("--index-…, --part, --tmp and --plan need --index, a table of the records to read");
  }
  return arrow::Status::OK();
}

arrow::Result<ExtractResult> RunExtract(const ExtractConfig& given,
                                        const std::function<void(const ExtractProgress&)>& on_progress) {
  ExtractConfig config = given;
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json run, RunIdentity(config));
  ARROW_ASSIGN_OR_RAISE(auto output, OutputFolder::Open(config.output, run, config.overwrite, config.tmp));
  ExtractResult result;
  if (output->done()) {
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json counts, output->Counts());
    ARROW_ASSIGN_OR_RAISE(result.counts, ExtractCounts::FromJson(counts));
    result.was_done = true;
    return result;
  }
  std::optional<IndexPlan> plan;
  if (config.index.is_given()) {
    ARROW_RETURN_NOT_OK(AllowRangesOf(config.threads));
    ARROW_ASSIGN_OR_RAISE(plan, MakeIndexPlan(config.index.reading, config.threads));
    config.inputs = std::move(plan->files);
    if (!config.allow_unreadable) ARROW_RETURN_NOT_OK(CheckFound(config.inputs));
    result.index_rows = plan->records->counts();
  }
  std::vector<nlohmann::json> parts(config.inputs.size());
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, parts.size(), [&](int, size_t i) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(parts[i], output->FinishedPart(PartName(i)));
    if (!ExtractCounts::FromJson(MemberOf(parts[i], "counts")).ok()) parts[i] = nullptr;
    return arrow::Status::OK();
  }));
  result.resumed_inputs =
      static_cast<int>(std::ranges::count_if(parts, [](const auto& part) { return !part.is_null(); }));
  Scheduler scheduler(config, plan ? &*plan : nullptr, output.get(), &parts, on_progress);
  ARROW_RETURN_NOT_OK(scheduler.Run());
  nlohmann::json files = nlohmann::json::array();
  for (size_t i = 0; i < parts.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const ExtractCounts counts, ExtractCounts::FromJson(MemberOf(parts[i], "counts")));
    result.counts.Add(counts);
    if (counts.records == 0) result.without_records.push_back(config.inputs[i].name);
    for (const nlohmann::json& file : MemberOf(parts[i], "files")) {
      const nlohmann::json& path = MemberOf(file, "path");
      const bool is_notes = path.is_string() && path.get_ref<const std::string&>().starts_with(kNotesFolder);
      if (!is_notes) files.push_back(file);
    }
  }
  if (config.revisits == Revisits::kResolved) {
    ARROW_RETURN_NOT_OK(AddRevisits(config, output->work(), parts, &result.counts, &files));
  }
  if (config.index.is_given()) {
    ARROW_RETURN_NOT_OK(CheckUnchanged(config.index.reading.tables));
    ARROW_RETURN_NOT_OK(CheckUnchanged(scheduler.opened()));
  } else {
    ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  }
  if (config.revisits == Revisits::kResolved) {  // the last: finished parts are not without their notes
    ARROW_RETURN_NOT_OK(RemoveTree((output->work() / kNotesFolder).parent_path()));
  }
  ARROW_RETURN_NOT_OK(
      output->Commit({{"counts", result.counts.ToJson()}, {"files", files}, {"text", NameOf(config.options.text)}}));
  return result;
}

}  // namespace uzushio
