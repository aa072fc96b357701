#include "stages/minhash/minhash.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "base/counters.h"
#include "base/memory_plan.h"
#include "base/ordered.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/quarantine_writer.h"
#include "datasets/row_reader.h"
#include "datasets/shard_writer.h"
#include "dedup/document_index.h"
#include "document/host.h"
#include "stages/minhash/captures.h"
#include "stages/minhash/contained.h"
#include "stages/minhash/followers.h"
#include "stages/minhash/indexes.h"
#include "stages/minhash/kernel.h"
#include "stages/minhash/losses.h"
#include "stages/minhash/texts.h"
#include "stages/minhash/verifier.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

constexpr int64_t kShardBytes = int64_t{1} << 30;
constexpr size_t kGroupsTold = 5;
constexpr size_t kDuplicatesAtOnce = 4096;
// Shares of the progress: signatures up to here, then buckets, then who is a duplicate, then what is contained, then
// the output.
constexpr double kSigned = 0.5;
constexpr double kBucketed = 0.65;
constexpr double kCompared = 0.7;
constexpr double kDecided = 0.75;

nlohmann::json IdentitiesOf(const Indexes& indexes) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& index : indexes) json.push_back({{"name", index->name()}, {"checksum", index->checksum()}});
  return json;
}

// Where documents that stay lie in the output, and where duplicates: folders, as ShardWriter takes them.
std::pair<const char*, const char*> PlacesOf(OutputLayout layout) {
  if (layout == OutputLayout::kDedupAndDup) return {"dedup", "dup"};
  return {"", kDuplicatesFolder};
}

// What makes a run the same as another.
arrow::Result<nlohmann::json> RunIdentity(const MinhashConfig& config, const Indexes& against, const Indexes& beside) {
  ARROW_ASSIGN_OR_RAISE(nlohmann::json json, DeclaredMinhash().IdentityOf(config));
  json["against"] = IdentitiesOf(against);
  json["beside"] = IdentitiesOf(beside);
  return IdentityOfRun("minhash", config.inputs, json);
}

// Duplicates of a file, in order.
class StoredDuplicates {
 public:
  StoredDuplicates(std::unique_ptr<SpillFile> file, size_t count) : file_(std::move(file)), count_(count) {}

  // The next one, if its number is less than this.
  arrow::Result<std::optional<Duplicate>> NextBefore(uint64_t number) {
    if (at_ == read_.size()) {
      read_.resize(std::min(kDuplicatesAtOnce, count_ - next_));
      at_ = 0;
      if (read_.empty()) return std::nullopt;
      const std::span<char> bytes(reinterpret_cast<char*>(read_.data()), read_.size() * sizeof(Duplicate));
      ARROW_RETURN_NOT_OK(file_->Read(static_cast<int64_t>(next_ * sizeof(Duplicate)), bytes));
      next_ += read_.size();
    }
    if (read_[at_].number >= number) return std::nullopt;
    return read_[at_++];
  }

 private:
  std::unique_ptr<SpillFile> file_;
  size_t count_;
  size_t next_ = 0;  // that is not read yet
  size_t at_ = 0;    // of those that were read
  std::vector<Duplicate> read_;
};

class MinhashRun {
 public:
  MinhashRun(const MinhashConfig& config, const RowInputs& records, const std::filesystem::path& work,
             MinhashProgressCallback on_progress)
      : config_(config),
        records_(records),
        work_(work),
        on_progress_(std::move(on_progress)),
        plan_(PlanMinHash(config.memory, config.threads, IsHeavy(config.options))),
        budget_(plan_.partitions),
        space_(config.tmp),
        resources_{plan_, config.threads, &budget_, &space_},
        counts_(records.splits.size()),
        quarantined_(static_cast<size_t>(config.threads)) {
    if (config.options.url) captures_ = std::make_unique<CapturePartitions>(resources_);
  }

  // What each thread works with. Errors: of the dictionary.
  arrow::Status MakeKernels();
  // Signatures of all documents.
  arrow::Status Sign(DocumentIndexWriter* index, BucketPartitions* buckets);
  // Who is a duplicate.
  arrow::Status Find(const DocumentSets& sets, DocumentIndexWriter* index, BucketPartitions* buckets);
  // Writes kept documents and duplicates.
  arrow::Result<std::vector<WrittenFile>> Part(const DocumentSets& sets);

  const MinhashResources& resources() const { return resources_; }
  nlohmann::json Counts() const;
  arrow::Status CheckCounts() const;
  // Errors: more than --max-loss went of something. After Part.
  arrow::Status CheckLosses();
  int64_t spilled_bytes() const { return space_.bytes_written(); }

 private:
  struct SignedPart {
    size_t split = 0;
    SignedDocuments of;
  };
  struct PartedPart {
    PartedRows rows;
  };
  ShareCallback Progress(const char* step, double begin, double end) const {
    return [this, step, begin, end](double share) {
      if (on_progress_) on_progress_({step, begin + (end - begin) * share});
    };
  }
  arrow::Status SignSplit(size_t thread, size_t split, OrderedResults<SignedPart>* results);
  arrow::Status Take(const SignedPart& part, DocumentIndexWriter* index, BucketPartitions* buckets);
  arrow::Status KeepTexts(const DocumentBits& involved, DocumentTexts* texts);
  arrow::Status KeepDuplicates(const std::vector<Duplicate>& duplicates);
  arrow::Status FindContainedOnes(const DocumentSets& sets);
  arrow::Status CountLosses(size_t thread, const arrow::RecordBatch& batch, std::span<const int64_t> documents,
                            std::span<const DuplicateRow> duplicates);
  arrow::Status PartSplit(size_t thread, size_t split, const DocumentSets& sets, OrderedResults<PartedPart>* results);
  arrow::Result<std::vector<DuplicateRow>> DuplicatesOf(const DocumentSets& sets, std::span<const int64_t> rows,
                                                        uint64_t first_number, size_t end, size_t* next) const;
  bool IsSuperseded(uint64_t number) const { return superseded_ != nullptr && superseded_->Has(number); }
  DecideDuplicate DecideBySketch(const DocumentSets& sets) const;
  DecideDuplicate DecideByText(const DocumentSets& sets, const DocumentTexts* own);
  const char* ReasonOf(uint64_t number) const {
    if (IsSuperseded(number)) return kOfUrl;
    return contained_ != nullptr && contained_->Has(number) ? kContained : kOfText;
  }
  arrow::Status Changed(size_t split) const {
    return arrow::Status::IOError(records_.splits[split].file->name, ": was changed while it was read");
  }

  const MinhashConfig& config_;
  const RowInputs& records_;
  const std::filesystem::path& work_;
  MinhashProgressCallback on_progress_;
  MinHashPlan plan_;
  MemoryBudget budget_;
  SpillSpace space_;
  MinhashResources resources_;
  std::vector<std::unique_ptr<MinhashKernel>> kernels_;  // of each thread
  std::vector<uint64_t> counts_;                         // documents of each split
  std::vector<uint64_t> first_numbers_;                  // of each split, and the number after the last
  std::vector<Counters> quarantined_;                    // of each thread

  std::unique_ptr<CapturePartitions> captures_;  // null: they are not looked for
  std::unique_ptr<DocumentBits> superseded_;     // those of which there is a newer one; null likewise
  uint64_t superseded_count_ = 0;
  uint64_t without_url_ = 0;

  std::unique_ptr<PassagePartitions> passages_;  // null: contained documents are not looked for
  std::unique_ptr<DocumentBits> gone_;           // duplicates; null likewise
  std::unique_ptr<DocumentBits> contained_;      // of them, those that are contained in others; null likewise
  uint64_t contained_count_ = 0;
  uint64_t frequent_passages_ = 0;

  std::unique_ptr<SpillFile> duplicates_file_;  // Duplicate, in order of numbers
  std::vector<size_t> first_duplicates_;        // of each split, and the number after the last
  size_t duplicates_ = 0;
  size_t of_others_ = 0;  // of them, those of documents of other sets
  uint64_t documents_ = 0;
  uint64_t buckets_ = 0;
  uint64_t index_text_bytes_ = 0;
  uint64_t undated_ = 0;
  int64_t text_bytes_ = 0;
  std::unique_ptr<LossCounter> groups_;             // by the document that others are duplicates of
  std::unique_ptr<LossCounter> hosts_;              // null: they are not looked at
  std::vector<LossCounter::Writer> group_writers_;  // of each thread
  std::vector<LossCounter::Writer> host_writers_;   // likewise
  std::vector<Loss> largest_groups_;
  int64_t kept_rows_ = 0;
  int64_t duplicate_rows_ = 0;
};

arrow::Status MinhashRun::MakeKernels() {
  if (config_.options.contained) {
    ARROW_ASSIGN_OR_RAISE(passages_, PassagePartitions::Create(resources_));
  }
  for (int i = 0; i < config_.threads; ++i) {
    ARROW_ASSIGN_OR_RAISE(kernels_.emplace_back(), MinhashKernel::Make(config_.options));
  }
  return arrow::Status::OK();
}

// --- signatures ---

arrow::Status MinhashRun::SignSplit(size_t thread, size_t split, OrderedResults<SignedPart>* results) {
  const RowSplit& from = records_.splits[split];
  QuarantineWriter quarantine(work_, fmt::format("piece-{:05}", split));
  const auto bad = [&](const QuarantinedRecord& record) {
    quarantined_[thread].Add(record.reason);
    return quarantine.Append(record);
  };
  int64_t row = 0;
  ARROW_RETURN_NOT_OK(ReadRows(
      records_, from,
      [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
        const auto bad_text = [&](int64_t in_batch) {
          const auto& texts =
              static_cast<const arrow::StringArray&>(*batch->GetColumnByName(config_.options.text_column));
          const std::string_view text = texts.GetView(in_batch);
          return bad({from.file->name, row + in_batch, static_cast<int64_t>(text.size()), "no-utf8",
                      std::string(text.substr(0, size_t{1} << 20))});
        };
        ARROW_ASSIGN_OR_RAISE(SignedDocuments made, kernels_[thread]->Sign(*batch, bad_text));
        row += batch->num_rows();
        const int64_t bytes = made.bytes();
        return results->Add(split, {split, std::move(made)}, bytes);
      },
      bad));
  return quarantine.Finish();
}

arrow::Status MinhashRun::Take(const SignedPart& part, DocumentIndexWriter* index, BucketPartitions* buckets) {
  const auto per_document = static_cast<size_t>(config_.options.signature.buckets);
  const size_t sketch = config_.options.signature.sketch_bytes();
  counts_[part.split] += part.of.documents.size();
  for (size_t i = 0; i < part.of.documents.size(); ++i) {
    const SignedDocument& document = part.of.documents[i];
    Priority priority = document.priority;
    priority.low |= index->documents();
    for (const uint64_t bucket : std::span(part.of.buckets).subspan(i * per_document, per_document)) {
      ARROW_RETURN_NOT_OK(buckets->Add({bucket, priority}));
    }
    ARROW_RETURN_NOT_OK(
        index->AddDocument(document.id, std::span(part.of.sketches).subspan(i * sketch, sketch), part.of.text(i)));
    if (passages_ != nullptr) {
      ARROW_RETURN_NOT_OK(passages_->Add(part.of.passages_of(i), document.tokens, priority));
    }
    if (document.url) {
      Capture capture = {*document.url, document.captured};
      capture.priority.low |= index->documents() - 1;
      ARROW_RETURN_NOT_OK(captures_->Add(capture));
    }
    without_url_ += document.url ? 0 : 1;
    undated_ += document.is_dated ? 0 : 1;
    text_bytes_ += document.text_bytes;
  }
  return arrow::Status::OK();
}

arrow::Status MinhashRun::Sign(DocumentIndexWriter* index, BucketPartitions* buckets) {
  OrderedResults<SignedPart> results(plan_.results, [&](const SignedPart& part) { return Take(part, index, buckets); });
  ARROW_RETURN_NOT_OK(OrderedFor(config_.threads, records_.splits, &results, Progress("signatures", 0, kSigned),
                                 [&](size_t thread, size_t split) { return SignSplit(thread, split, &results); }));
  documents_ = index->documents();
  first_numbers_.assign(1, 0);
  for (const uint64_t count : counts_) first_numbers_.push_back(first_numbers_.back() + count);
  if (captures_ != nullptr) ARROW_RETURN_NOT_OK(captures_->Finish());
  if (passages_ != nullptr) ARROW_RETURN_NOT_OK(passages_->Finish());
  return buckets->Finish();
}

// --- duplicates ---

arrow::Status MinhashRun::KeepDuplicates(const std::vector<Duplicate>& duplicates) {
  const std::span<const char> bytes(reinterpret_cast<const char*>(duplicates.data()),
                                    duplicates.size() * sizeof(Duplicate));
  ARROW_RETURN_NOT_OK(duplicates_file_->Write(duplicates_file_->Extend(bytes.size()), bytes));
  space_.Count(static_cast<int64_t>(bytes.size()));
  for (const Duplicate& duplicate : duplicates) {
    while (first_numbers_[first_duplicates_.size()] <= duplicate.number) first_duplicates_.push_back(duplicates_);
    ++duplicates_;
    if (gone_ != nullptr) gone_->Set(duplicate.number);
  }
  return arrow::Status::OK();
}

// Looks for those that are contained among the documents that are no duplicates so far, and puts them between these.
arrow::Status MinhashRun::FindContainedOnes(const DocumentSets& sets) {
  const IndexedTexts* const indexed = sets.sets[sets.own].texts;
  ContainerPartitions containers(resources_, documents_);
  std::unique_ptr<DocumentBits> involved;
  std::unique_ptr<DocumentTexts> texts;
  if (indexed == nullptr) involved = std::make_unique<DocumentBits>(documents_);
  ARROW_ASSIGN_OR_RAISE(frequent_passages_,
                        FindContainers(resources_, documents_, *gone_, passages_.get(), &containers, involved.get()));
  if (indexed == nullptr) {
    ARROW_ASSIGN_OR_RAISE(texts, DocumentTexts::Create(&space_));
    ARROW_RETURN_NOT_OK(KeepTexts(*involved, texts.get()));
    involved.reset();
  }
  contained_ = std::make_unique<DocumentBits>(documents_);
  StoredDuplicates others(std::move(duplicates_file_), std::exchange(duplicates_, 0));
  ARROW_ASSIGN_OR_RAISE(duplicates_file_, space_.NewFile());
  first_duplicates_.clear();
  std::vector<Duplicate> some;
  const auto add = [&](const Duplicate& duplicate) {
    some.push_back(duplicate);
    return some.size() < kDuplicatesAtOnce ? arrow::Status::OK() : KeepDuplicates(std::exchange(some, {}));
  };
  const auto add_others = [&](uint64_t end) -> arrow::Status {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const std::optional<Duplicate> next, others.NextBefore(end));
      if (!next) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(add(*next));
    }
  };
  const auto use = [&](const std::vector<Duplicate>& found) -> arrow::Status {
    contained_count_ += found.size();
    for (const Duplicate& one : found) {
      contained_->Set(one.number);
      ARROW_RETURN_NOT_OK(add_others(one.number));
      ARROW_RETURN_NOT_OK(add(one));
    }
    return arrow::Status::OK();
  };
  std::vector<TextDecompressor> decompressors(static_cast<size_t>(config_.threads));
  const auto read = [&](size_t thread, uint64_t number, std::string* text) {
    return indexed != nullptr ? indexed->Read(number, &decompressors[thread], text) : texts->Read(number, text);
  };
  ARROW_RETURN_NOT_OK(FindContained(resources_, sets, documents_, config_.options, *passages_, &containers, read, use,
                                    Progress("contained", kCompared, kDecided)));
  ARROW_RETURN_NOT_OK(add_others(documents_));
  return KeepDuplicates(some);
}

// The first leader stands highest: it is the one.
DecideDuplicate MinhashRun::DecideBySketch(const DocumentSets& sets) const {
  return
      [this, &sets](size_t /*thread*/, std::span<const Follower> leaders) -> arrow::Result<std::optional<Duplicate>> {
        const Leader& leader = leaders.front().leader;
        ARROW_ASSIGN_OR_RAISE(const IndexedDocument document, sets.sets[sets.own].table->Read(leaders.front().number));
        ARROW_ASSIGN_OR_RAISE(const IndexedDocument other, sets.sets[leader.source].table->Read(leader.number()));
        const double similarity = EstimateJaccard(document.sketch, other.sketch, config_.options.signature.functions());
        return Duplicate{leaders.front().number, leader, similarity};
      };
}

// The first leader whose text is near enough. Texts of this run's documents are its index's, or `own`. Most documents
// that follow one another have the same leader: what was made of it last is kept.
DecideDuplicate MinhashRun::DecideByText(const DocumentSets& sets, const DocumentTexts* own) {
  struct Buffers {
    Buffers(const MinhashOptions& options, const MinhashResources& resources)
        : verifier(options, resources.budget, resources.space) {}
    Verifier verifier;
    TextDecompressor decompressor;
    std::string text;
    std::string leader_text;
    std::optional<Leader> leader;
  };
  auto all = std::make_shared<std::deque<Buffers>>();  // which stay where they are
  for (int i = 0; i < config_.threads; ++i) all->emplace_back(config_.options, resources_);
  return
      [&sets, own, all](size_t thread, std::span<const Follower> leaders) -> arrow::Result<std::optional<Duplicate>> {
        Buffers& buffers = (*all)[thread];
        const auto read = [&](uint64_t source, uint64_t number, std::string* text) {
          const IndexedTexts* indexed = sets.sets[source].texts;
          return indexed != nullptr ? indexed->Read(number, &buffers.decompressor, text) : own->Read(number, text);
        };
        const uint64_t number = leaders.front().number;
        ARROW_RETURN_NOT_OK(read(sets.own, number, &buffers.text));
        buffers.verifier.SetDocument(buffers.text);
        for (const Follower& follower : leaders) {
          if (buffers.leader != follower.leader) {
            buffers.leader.reset();
            ARROW_RETURN_NOT_OK(read(follower.leader.source, follower.leader.number(), &buffers.leader_text));
            buffers.verifier.SetLeader(buffers.leader_text);
            buffers.leader = follower.leader;
          }
          ARROW_ASSIGN_OR_RAISE(const auto similarity, buffers.verifier.Compare());
          if (similarity) return Duplicate{number, follower.leader, *similarity};
        }
        return std::nullopt;
      };
}

// Reads the inputs again, and keeps the texts of these documents.
arrow::Status MinhashRun::KeepTexts(const DocumentBits& involved, DocumentTexts* texts) {
  return ParallelFor(config_.threads, records_.splits.size(), [&](int thread, size_t split) -> arrow::Status {
    uint64_t number = first_numbers_[split];
    const auto use = [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
      const auto of = [&](int64_t n) { return number + static_cast<uint64_t>(n); };
      ARROW_ASSIGN_OR_RAISE(
          const int64_t documents,
          kernels_[static_cast<size_t>(thread)]->ForEachDocument(
              *batch, [&](int64_t n) { return of(n) < first_numbers_[split + 1] && involved.Has(of(n)); },
              [&](int64_t n, std::string_view document) { return texts->Write(of(n), document); }));
      number = of(documents);
      return number <= first_numbers_[split + 1] ? arrow::Status::OK() : Changed(split);
    };
    ARROW_RETURN_NOT_OK(
        ReadRows(records_, records_.splits[split], use, [](const QuarantinedRecord&) { return arrow::Status::OK(); }));
    return number == first_numbers_[split + 1] ? arrow::Status::OK() : Changed(split);
  });
}

arrow::Status MinhashRun::Find(const DocumentSets& sets, DocumentIndexWriter* index, BucketPartitions* buckets) {
  std::unique_ptr<FollowerPartitions> followers;
  std::unique_ptr<DocumentBits> involved;
  if (!config_.index_only) followers = std::make_unique<FollowerPartitions>(resources_, documents_);
  if (captures_ != nullptr) {
    superseded_ = std::make_unique<DocumentBits>(documents_);
    ARROW_ASSIGN_OR_RAISE(superseded_count_,
                          FindSuperseded(resources_, sets, captures_.get(), followers.get(), superseded_.get()));
    captures_.reset();
  }
  const bool reads_again = config_.options.verify && !config_.options.index_texts;
  if (reads_again) involved = std::make_unique<DocumentBits>(documents_);
  const LeaderCounts leaders = {LeadersOf(config_.options), index->kind().leaders()};
  const auto use_bucket = [index](const DocumentBucket& bucket) { return index->AddBucket(bucket); };
  ARROW_RETURN_NOT_OK(FindFollowers(resources_, sets, leaders, buckets, use_bucket, followers.get(), involved.get(),
                                    superseded_.get(), Progress("buckets", kSigned, kBucketed)));
  buckets_ = index->buckets();
  index_text_bytes_ = index->text_bytes();
  if (config_.index_only) return arrow::Status::OK();
  std::unique_ptr<DocumentTexts> texts;
  if (reads_again) {
    ARROW_ASSIGN_OR_RAISE(texts, DocumentTexts::Create(&space_));
    ARROW_RETURN_NOT_OK(KeepTexts(*involved, texts.get()));
  }
  ARROW_ASSIGN_OR_RAISE(duplicates_file_, space_.NewFile());
  if (passages_ != nullptr) gone_ = std::make_unique<DocumentBits>(documents_);
  const auto keep = [&](const std::vector<Duplicate>& duplicates) {
    for (const Duplicate& one : duplicates) of_others_ += one.leader.source != sets.own ? 1 : 0;
    return KeepDuplicates(duplicates);
  };
  const DecideDuplicate by_sketch = DecideBySketch(sets);
  const DecideDuplicate by_text = config_.options.verify ? DecideByText(sets, texts.get()) : by_sketch;
  const auto decide = [&](size_t thread, std::span<const Follower> leaders) {
    return IsSuperseded(leaders.front().number) ? by_sketch(thread, leaders) : by_text(thread, leaders);
  };
  ARROW_RETURN_NOT_OK(
      FindDuplicates(resources_, sets, followers.get(), decide, keep, Progress("duplicates", kBucketed, kCompared)));
  followers.reset();
  texts.reset();
  if (passages_ != nullptr) ARROW_RETURN_NOT_OK(FindContainedOnes(sets));
  passages_.reset();
  first_duplicates_.resize(first_numbers_.size(), duplicates_);
  return arrow::Status::OK();
}

// --- output ---

// The duplicates among some documents, whose rows are `rows` and whose numbers follow `first_number`. `next` of
// duplicates_file_, up to `end`, is the first that was not used before.
arrow::Result<std::vector<DuplicateRow>> MinhashRun::DuplicatesOf(const DocumentSets& sets,
                                                                  std::span<const int64_t> rows, uint64_t first_number,
                                                                  size_t end, size_t* next) const {
  std::vector<Duplicate> read(std::min(rows.size(), end - *next));
  const std::span<char> bytes(reinterpret_cast<char*>(read.data()), read.size() * sizeof(Duplicate));
  ARROW_RETURN_NOT_OK(duplicates_file_->Read(static_cast<int64_t>(*next * sizeof(Duplicate)), bytes));
  std::vector<DuplicateRow> duplicates;
  for (const Duplicate& duplicate : read) {
    const uint64_t at = duplicate.number - first_number;
    if (at >= rows.size()) break;
    ARROW_ASSIGN_OR_RAISE(IndexedDocument leader,
                          sets.sets[duplicate.leader.source].table->Read(duplicate.leader.number()));
    duplicates.push_back({rows[at], std::move(leader.id), duplicate.similarity, ReasonOf(duplicate.number)});
  }
  *next += duplicates.size();
  return duplicates;
}

// Documents are rows of the batch, and duplicates some of them, in order.
arrow::Status MinhashRun::CountLosses(size_t thread, const arrow::RecordBatch& batch,
                                      std::span<const int64_t> documents, std::span<const DuplicateRow> duplicates) {
  for (const DuplicateRow& duplicate : duplicates) {
    ARROW_RETURN_NOT_OK(group_writers_[thread].Add(duplicate.duplicate_of, 0, 1));
  }
  if (hosts_ == nullptr) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto urls, TextColumn(batch, config_.options.url_column));
  Location location;
  auto duplicate = duplicates.begin();
  for (const int64_t row : documents) {
    const bool is_lost = duplicate != duplicates.end() && duplicate->row == row;
    if (is_lost) ++duplicate;
    if (urls->IsNull(row) || !location.Parse(urls->GetView(row))) continue;
    ARROW_RETURN_NOT_OK(host_writers_[thread].Add(location.host, 1, is_lost ? 1 : 0));
  }
  return arrow::Status::OK();
}

arrow::Status MinhashRun::PartSplit(size_t thread, size_t split, const DocumentSets& sets,
                                    OrderedResults<PartedPart>* results) {
  uint64_t number = first_numbers_[split];
  size_t next = first_duplicates_[split];
  const auto use = [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const std::vector<int64_t> documents, kernels_[thread]->DocumentRows(*batch));
    if (number + documents.size() > first_numbers_[split + 1]) return Changed(split);
    ARROW_ASSIGN_OR_RAISE(const auto duplicates,
                          DuplicatesOf(sets, documents, number, first_duplicates_[split + 1], &next));
    number += documents.size();
    ARROW_RETURN_NOT_OK(CountLosses(thread, *batch, documents, duplicates));
    ARROW_ASSIGN_OR_RAISE(PartedRows rows, PartBatch(batch, documents, duplicates, HasReasons(config_.options)));
    int64_t bytes = 0;
    for (const auto& part : {rows.kept, rows.duplicates}) {
      if (part != nullptr) bytes += arrow::util::TotalBufferSize(*part);
    }
    return results->Add(split, {std::move(rows)}, bytes);
  };
  ARROW_RETURN_NOT_OK(
      ReadRows(records_, records_.splits[split], use, [](const QuarantinedRecord&) { return arrow::Status::OK(); }));
  return number == first_numbers_[split + 1] ? arrow::Status::OK() : Changed(split);
}

arrow::Result<std::vector<WrittenFile>> MinhashRun::Part(const DocumentSets& sets) {
  ARROW_ASSIGN_OR_RAISE(const auto duplicates_schema, DuplicatesSchema(*records_.schema, HasReasons(config_.options)));
  const auto [kept_place, duplicates_place] = PlacesOf(config_.options.layout);
  ShardWriter kept(work_, {kept_place}, records_.schema, ShardFormat::kParquet, kShardBytes);
  ShardWriter duplicates(work_, {duplicates_place}, duplicates_schema, ShardFormat::kParquet, kShardBytes);
  groups_ = std::make_unique<LossCounter>(resources_);
  const bool has_urls = records_.schema->GetFieldIndex(config_.options.url_column) >= 0;
  if (config_.options.max_loss && has_urls) hosts_ = std::make_unique<LossCounter>(resources_);
  for (int i = 0; i < config_.threads; ++i) {
    group_writers_.emplace_back(groups_.get());
    if (hosts_ != nullptr) host_writers_.emplace_back(hosts_.get());
  }
  OrderedResults<PartedPart> results(plan_.results, [&](const PartedPart& part) -> arrow::Status {
    if (part.rows.kept != nullptr) {
      kept_rows_ += part.rows.kept->num_rows();
      ARROW_RETURN_NOT_OK(kept.Append(0, *part.rows.kept));
    }
    if (part.rows.duplicates == nullptr) return arrow::Status::OK();
    duplicate_rows_ += part.rows.duplicates->num_rows();
    return duplicates.Append(0, *part.rows.duplicates);
  });
  ARROW_RETURN_NOT_OK(
      OrderedFor(config_.threads, records_.splits, &results, Progress("writing", kDecided, 1),
                 [&](size_t thread, size_t split) { return PartSplit(thread, split, sets, &results); }));
  for (LossCounter::Writer& writer : group_writers_) ARROW_RETURN_NOT_OK(writer.Flush());
  for (LossCounter::Writer& writer : host_writers_) ARROW_RETURN_NOT_OK(writer.Flush());
  ARROW_ASSIGN_OR_RAISE(largest_groups_, groups_->MostLost(kGroupsTold));
  ARROW_ASSIGN_OR_RAISE(std::vector<WrittenFile> files, kept.Finish());
  ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> others, duplicates.Finish());
  files.insert(files.end(), others.begin(), others.end());
  return files;
}

nlohmann::json MinhashRun::Counts() const {
  Counters quarantined;
  for (const Counters& counters : quarantined_) quarantined.Add(counters);
  nlohmann::json counts = {{"documents", documents_},
                           {"text_bytes", text_bytes_},
                           {"documents_without_date", undated_},
                           {"buckets", buckets_},
                           {"quarantined", quarantined.counts()}};
  if (config_.options.index_texts) counts["index_text_bytes"] = index_text_bytes_;
  if (config_.options.url) counts["older_captures"] = superseded_count_;
  if (config_.options.url) counts["documents_without_url"] = without_url_;
  if (config_.index_only) return counts;
  counts["kept"] = kept_rows_;
  counts["duplicates"] = duplicate_rows_;
  if (config_.options.contained) counts["contained"] = contained_count_;
  if (config_.options.contained) counts["frequent_passages"] = frequent_passages_;
  counts["duplicates_of_other_indexes"] = of_others_;
  counts["largest_groups"] = nlohmann::json::array();
  for (const Loss& group : largest_groups_) {
    counts["largest_groups"].push_back({{"duplicate_of", group.name}, {"duplicates", group.lost}});
  }
  return counts;
}

arrow::Status MinhashRun::CheckLosses() {
  const MinhashOptions& options = config_.options;
  if (!options.max_loss || config_.index_only) return arrow::Status::OK();
  const auto least = static_cast<uint64_t>(options.max_loss_least);
  const auto too_many = [&options](const Loss& loss, const std::string& what) {
    return arrow::Status::ExecutionError(
        fmt::format("--max-loss {:g}: {} of {} documents{} ({:.1f} %). Nothing was written. Look at these documents; "
                    "filter them, or raise --max-loss",
                    *options.max_loss, loss.lost, loss.documents, what, 100 * loss.share()));
  };
  if (documents_ >= least && !largest_groups_.empty()) {
    const Loss group = {largest_groups_.front().name, documents_, largest_groups_.front().lost};
    if (group.share() > *options.max_loss) {
      return too_many(group, " are duplicates of the document '" + group.name + "'");
    }
  }
  if (hosts_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const Loss host, hosts_->GreatestShare(least));
    if (host.share() > *options.max_loss) return too_many(host, " of the host '" + host.name + "' are duplicates");
  }
  std::map<std::string, Loss> files;
  for (size_t split = 0; split < records_.splits.size(); ++split) {
    Loss& file = files[records_.splits[split].file->name];
    file.documents += counts_[split];
    file.lost += first_duplicates_[split + 1] - first_duplicates_[split];
  }
  for (const auto& [name, file] : files) {
    if (file.documents < least || file.share() <= *options.max_loss) continue;
    return too_many(file, " of the file '" + name + "' are duplicates");
  }
  return arrow::Status::OK();
}

// No document may get lost.
arrow::Status MinhashRun::CheckCounts() const {
  const bool add_up = static_cast<uint64_t>(kept_rows_ + duplicate_rows_) == documents_ &&
                      static_cast<size_t>(duplicate_rows_) == duplicates_;
  if (config_.index_only || add_up) return arrow::Status::OK();
  return arrow::Status::UnknownError(documents_, " documents were read, ", kept_rows_, " kept, and ", duplicate_rows_,
                                     " written as duplicates: these do not add up");
}

arrow::Result<MinhashResult> DoneBefore(const OutputFolder& output) {
  MinhashResult result;
  result.was_done = true;
  ARROW_ASSIGN_OR_RAISE(result.counts, output.Counts());
  for (const auto& [name, count] : result.counts.items()) {
    const bool is_sound = name == "quarantined"      ? count.is_object()
                          : name == "largest_groups" ? count.is_array()
                                                     : count.is_number();
    if (!is_sound) {
      return arrow::Status::Invalid("damaged counts of an earlier run: ", name, " is ", count.type_name());
    }
  }
  return result;
}

}  // namespace

// Indexes are in the identity by their checksums.
const Options<MinhashConfig>& DeclaredMinhash() {
  static const Options<MinhashConfig> options =
      Options<MinhashConfig>()
          .With(DeclaredOutputFolder())
          .InShortHelp()
          .With(DeclaredMinhashOptions(), &MinhashConfig::options)
          .Path("against", &MinhashConfig::against, "DIR",
                "Output of an earlier run, whose documents are kept; similar documents are duplicates; may be repeated")
          .InShortHelp()
          .NotInIdentity()
          .Path("beside", &MinhashConfig::beside, "DIR",
                "Output or index of another part of the same corpus, whose documents --keep also compares; may be "
                "repeated")
          .NotInIdentity()
          .Flag("index-only", &MinhashConfig::index_only, "Write only the index, for --against and --beside");
  return options;
}

arrow::Status CheckMinhash(const MinhashConfig& config) {
  ARROW_RETURN_NOT_OK(CheckSignature(config.options.signature));
  const bool has_indexes = !config.against.empty() || !config.beside.empty();
  const char* const option = config.against.empty() ? "--beside" : "--against";
  if (config.index_only && has_indexes) {
    return arrow::Status::Invalid("--index-only looks for no duplicates; leave out ", option);
  }
  if (config.index_only && config.options.verify && !config.options.index_texts) {
    return arrow::Status::Invalid("--index-only with --skip-index-texts: an index without texts is for runs that ",
                                  "compare none; leave out --skip-index-texts, or give --skip-verify");
  }
  if (config.index_only && config.options.layout != OutputLayout::kDuplicatesBeside) {
    return arrow::Status::Invalid("--index-only writes no documents; leave out --layout");
  }
  if (config.options.contained && config.index_only) {
    return arrow::Status::Invalid("--index-only looks for no duplicates; leave out --contained");
  }
  if (config.options.contained && has_indexes) {
    return arrow::Status::Invalid(
        "--contained with ", option, ": an index has no passages, so that documents in other ",
        "parts would not be seen; run minhash ", option, " first, and minhash --contained on ", "all that is kept");
  }
  if (config.options.url && !config.beside.empty()) {
    return arrow::Status::Invalid("--url with --beside: an index has no URLs, so that captures in other parts would ",
                                  "not be seen; run minhash --url on all parts at once, or leave out --url");
  }
  if (config.options.keep == KeepRule::kFirst && !config.beside.empty()) {
    return arrow::Status::Invalid("--beside with --keep first: parts have no order; give the indexes of the parts ",
                                  "before this one by --against");
  }
  return arrow::Status::OK();
}

arrow::Result<MinhashResult> RunMinhash(const MinhashConfig& config, const MinhashProgressCallback& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  ARROW_RETURN_NOT_OK(CheckMinhash(config));
  ARROW_ASSIGN_OR_RAISE(const DocumentIndexKind kind, KindOf(config.options));
  ARROW_ASSIGN_OR_RAISE(const Indexes against,
                        OpenIndexes("--against", config.against, kind, config.options, config.tmp));
  ARROW_ASSIGN_OR_RAISE(const Indexes beside, OpenIndexes("--beside", config.beside, kind, config.options, config.tmp));
  ARROW_ASSIGN_OR_RAISE(const RowInputs records,
                        FindRows(config.inputs, config.options.text_column, config.options.id_column,
                                 PlanMinHash(config.memory, config.threads, IsHeavy(config.options)).reader));
  ARROW_RETURN_NOT_OK(MinhashKernel::Check(*records.schema, config.options));
  ARROW_RETURN_NOT_OK(DuplicatesSchema(*records.schema, HasReasons(config.options)).status());
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json identity_of_run, RunIdentity(config, against, beside));
  ARROW_ASSIGN_OR_RAISE(const auto output,
                        OutputFolder::Open(config.output, identity_of_run, config.overwrite, config.tmp));
  if (output->done()) return DoneBefore(*output);
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads, &forms));
  for (const std::string& index : config.against) ARROW_RETURN_NOT_OK(forms.AddOutput(index));
  for (const std::string& index : config.beside) ARROW_RETURN_NOT_OK(forms.AddOutput(index));

  const std::filesystem::path place = output->work() / kDocumentIndexFolder.path;
  ARROW_ASSIGN_OR_RAISE(const auto index, DocumentIndexWriter::Create(place, kind));
  MinhashRun run(config, records, output->work(), on_progress);
  ARROW_RETURN_NOT_OK(run.MakeKernels());
  auto buckets = std::make_unique<BucketPartitions>(run.resources());
  ARROW_RETURN_NOT_OK(run.Sign(index.get(), buckets.get()));
  ARROW_ASSIGN_OR_RAISE(const std::string identity, index->FinishDocuments());
  ARROW_ASSIGN_OR_RAISE(const auto table, DocumentTable::Open(place, config.options.signature.sketch_bytes()));
  std::unique_ptr<IndexedTexts> texts;
  if (kind.texts) {
    ARROW_ASSIGN_OR_RAISE(texts, IndexedTexts::Open(place, config.output));
  }
  const DocumentSets::Set own = {nullptr, identity, table.get(), texts.get()};
  ARROW_ASSIGN_OR_RAISE(const DocumentSets sets, OrderSets(against, beside, own, config.options.keep));
  ARROW_RETURN_NOT_OK(run.Find(sets, index.get(), buckets.get()));
  buckets.reset();
  ARROW_RETURN_NOT_OK(index->Finish());

  MinhashResult result;
  std::vector<WrittenFile> files;
  if (!config.index_only) {
    ARROW_ASSIGN_OR_RAISE(files, run.Part(sets));
  }
  ARROW_RETURN_NOT_OK(run.CheckCounts());
  ARROW_RETURN_NOT_OK(run.CheckLosses());
  for (WrittenFile file : index->files()) {
    file.path.insert(0, std::string(kDocumentIndexFolder.path) + "/");
    files.push_back(std::move(file));
  }
  for (const WrittenFile& file : files) result.bytes_out += file.bytes;
  result.files = static_cast<int64_t>(files.size());
  result.counts = run.Counts();
  result.spilled_bytes = run.spilled_bytes();
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(output->Commit(forms.Mark({{"counts", result.counts}, {"files", files}})));
  return result;
}

}  // namespace uzushio
