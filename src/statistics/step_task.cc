#include "statistics/step_task.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "datasets/columns.h"
#include "dedup/comparer.h"
#include "statistics/bucket_pairs.h"
#include "statistics/folder.h"

namespace uzushio {
namespace {

// The kinds of records.
enum Kind : uint8_t {
  kCounted,
  kStored,
  kHeads,
  kEntries,
  kPairs,
  kAside,
  kKept,
  kTails,
  kAttached,
  kNear,
  kNeighbours,
  kTaken,
  kShares,
  kRows,
  kKinds
};
constexpr auto kKindNames =
    std::to_array<std::string_view>({"counted", "stored", "heads", "entries", "pairs", "aside", "kept", "tails",
                                     "attached", "near", "neighbours", "taken", "shares", "rows"});
static_assert(kKindNames.size() == kKinds);

std::optional<Kind> KindOf(std::string_view name) {
  const auto found = std::ranges::find(kKindNames, name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<Kind>(found - kKindNames.begin());
}

// A row's data, and a batch's.
constexpr size_t kPieceBytes = size_t{512} << 10;
constexpr size_t kBatchBytes = size_t{4} << 20;

// The kinds that a step takes, and its work on a partition, are in one table below.
enum class Table : uint8_t { kNone, kPairs, kRows, kTexts, kGroups };

std::shared_ptr<arrow::Schema> TableSchema(Table table) {
  switch (table) {
    case Table::kPairs:
      return arrow::schema(
          {arrow::field("hash", arrow::int64(), false), arrow::field("otherHash", arrow::int64(), false)});
    case Table::kRows:
      return StatisticsSchema();
    case Table::kTexts:
      return IntermediateSchema();
    case Table::kGroups:
      return arrow::schema(
          {arrow::field("groupFreq", arrow::int32(), false), arrow::field("reprHash", arrow::int64(), false),
           arrow::field("nearFreq", arrow::int32(), false), arrow::field("exactFreq", arrow::int32(), false),
           arrow::field("hash", arrow::int64(), false), arrow::field("text", arrow::utf8(), false)});
    case Table::kNone:
      break;
  }
  return ChunksSchema();
}

// Builds batches of rows of numbers and at most one text, the last.
class RowsBuilder {
 public:
  explicit RowsBuilder(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}

  arrow::Status Add(std::initializer_list<int64_t> numbers, std::optional<std::string_view> text = std::nullopt) {
    if (columns_.empty()) {
      for (const auto& field : schema_->fields()) {
        ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(field->type()));
        columns_.push_back(std::move(builder));
      }
    }
    auto column = columns_.begin();
    for (const int64_t number : numbers) {
      arrow::ArrayBuilder* builder = (column++)->get();
      if (builder->type()->id() == arrow::Type::INT32) {
        ARROW_RETURN_NOT_OK(static_cast<arrow::Int32Builder*>(builder)->Append(static_cast<int32_t>(number)));
      } else {
        ARROW_RETURN_NOT_OK(static_cast<arrow::Int64Builder*>(builder)->Append(number));
      }
    }
    if (text) ARROW_RETURN_NOT_OK(static_cast<arrow::StringBuilder*>(column->get())->Append(*text));
    ++rows_;
    bytes_ += 8 * numbers.size() + (text ? text->size() : 0);
    return bytes_ >= kBatchBytes ? Flush() : arrow::Status::OK();
  }
  arrow::Status Flush() {
    if (rows_ == 0) return arrow::Status::OK();
    arrow::ArrayVector arrays;
    for (const auto& column : columns_) {
      ARROW_ASSIGN_OR_RAISE(auto array, column->Finish());
      arrays.push_back(std::move(array));
    }
    batches_.push_back(arrow::RecordBatch::Make(schema_, rows_, std::move(arrays)));
    rows_ = 0;
    bytes_ = 0;
    return arrow::Status::OK();
  }
  std::shared_ptr<arrow::RecordBatch> Next() {
    if (batches_.empty()) return nullptr;
    auto batch = std::move(batches_.front());
    batches_.pop_front();
    return batch;
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns_;
  int64_t rows_ = 0;
  size_t bytes_ = 0;
  std::deque<std::shared_ptr<arrow::RecordBatch>> batches_;
};

// The paragraphs of a partition, from pieces in any order.
arrow::Result<StoredParagraphs> Gather(SpillPartitions* stored, size_t partition) {
  const auto hash = [](const std::vector<char>& piece) {
    return reinterpret_cast<const StoredHeader*>(piece.data())->hash;
  };
  std::vector<std::vector<char>> pieces;
  size_t bytes = 0;
  ARROW_RETURN_NOT_OK(stored->TakeChunks(partition, [&](std::span<const char> piece) {
    if (!piece.empty()) pieces.emplace_back(piece.begin(), piece.end());
    bytes += piece.size();
    return arrow::Status::OK();
  }));
  std::ranges::sort(pieces, {}, hash);
  Bytes all = Bytes::Uninitialised(bytes);
  char* at = all.data.get();
  for (std::vector<char>& piece : pieces) {
    at = std::ranges::copy(piece, at).out;
    std::vector<char>().swap(piece);
  }
  return StoredParagraphs(std::move(all));
}

}  // namespace

class StepTask::Work {
 public:
  struct Step {
    Table table = Table::kNone;
    std::vector<Kind> takes;  // nothing: not Add
    arrow::Status (Work::*partition)(size_t partition) = nullptr;
    arrow::Status (Work::*all)() = nullptr;  // instead, for all partitions together
  };
  static const std::map<std::string, Step>& Steps();

  Work(StepConfig config, const Step& step)
      : config_(std::move(config)),
        step_(step),
        partitioning_(config_.partition_bits),
        memory_(PlanTask(config_.memory)),
        budget_(memory_.partitions),
        space_(config_.tmp),
        buffer_bytes_(NearDuplicateResources{1, memory_, &budget_, &space_}.buffer_bytes(partitioning_.count(), 4)),
        entry_maker_(config_.near_duplicates, partitioning_.count()),
        table_(TableSchema(step.table)) {
    for (const Kind kind : step_.takes) in_[kind] = MakePartitions();
  }

  arrow::Status Add(const arrow::RecordBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(const auto kinds, TextColumn(batch, "kind"));
    ARROW_ASSIGN_OR_RAISE(const auto partitions, IntegerColumn(batch, "partition"));
    ARROW_ASSIGN_OR_RAISE(const auto data, TextColumn(batch, "data"));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const std::optional<Kind> kind = KindOf(kinds->GetView(row));
      const auto partition = static_cast<size_t>(partitions->Value(row));
      if (!kind || in_[*kind] == nullptr || partition >= partitioning_.count()) {
        return arrow::Status::Invalid("step ", config_.step, " takes no ", kinds->GetView(row), " of partition ",
                                      partition);
      }
      ARROW_RETURN_NOT_OK(in_[*kind]->AppendChunk(partition, data->GetView(row)));
    }
    return arrow::Status::OK();
  }

  arrow::Status AddText(std::string_view text) {
    if (!documents_) documents_.emplace(config_.limits, Out(kCounted), partitioning_, buffer_bytes_);
    return documents_->Add(text);
  }

  arrow::Status AddTexts(const arrow::RecordBatch& batch, const std::string& column) {
    ARROW_RETURN_NOT_OK(CheckTextColumn(*batch.schema(), column));
    return ForEachText(batch.GetColumnByName(column), [this](std::string_view text) { return AddText(text); });
  }

  arrow::Status AddStatistics(const arrow::RecordBatch& batch) {
    if (!statistics_) statistics_.emplace(Out(kCounted), partitioning_, buffer_bytes_);
    return CountStatistics(batch, &*statistics_);
  }

  arrow::Status AddTaken(const arrow::RecordBatch& batch) {
    ARROW_ASSIGN_OR_RAISE(const auto pivots, IntegerColumn(batch, "pivot"));
    ARROW_ASSIGN_OR_RAISE(const auto hashes, IntegerColumn(batch, "hash"));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const HashPair taken = {pivots->Value(row), hashes->Value(row)};
      ARROW_RETURN_NOT_OK(To(kTaken)->AppendRecord(partitioning_(taken.second), taken));
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    if (step_.table != Table::kNone) return NextOfTable();
    if (!run_) ARROW_RETURN_NOT_OK(Run());
    return NextPieces();
  }

  std::shared_ptr<arrow::Schema> schema() const { return TableSchema(step_.table); }

  nlohmann::json counts() const {
    nlohmann::json json = counts_;
    if (documents_) {
      const CountedDocuments& read = const_cast<DocumentCounter&>(*documents_).counts();
      json["documents"] = read.documents;
      json["documents_left_out"] = read.left_out;
      json["paragraphs"] = read.paragraphs;
      json["text_bytes"] = read.text_bytes;
    }
    if (space_.bytes_written() > 0) json["spilled_bytes"] = space_.bytes_written();
    return json;
  }

 private:
  friend class StepTask;

  std::unique_ptr<SpillPartitions> MakePartitions() {
    return std::make_unique<SpillPartitions>(partitioning_.count(), &budget_, &space_);
  }
  SpillPartitions* Out(Kind kind) {
    if (out_[kind] == nullptr) out_[kind] = MakePartitions();
    return out_[kind].get();
  }
  SpillPartitions::Writer* To(Kind kind) {
    if (!writers_[kind]) writers_[kind].emplace(Out(kind), buffer_bytes_);
    return &*writers_[kind];
  }

  // Works on all partitions that have come.
  arrow::Status Run() {
    run_ = true;
    if (documents_) ARROW_RETURN_NOT_OK(documents_->Finish());
    if (statistics_) ARROW_RETURN_NOT_OK(statistics_->Finish());
    if (step_.all != nullptr) ARROW_RETURN_NOT_OK((this->*step_.all)());
    if (step_.partition != nullptr) {
      for (size_t partition = 0; partition < partitioning_.count(); ++partition) {
        if (HasInput(partition)) ARROW_RETURN_NOT_OK((this->*step_.partition)(partition));
      }
    }
    for (auto& writer : writers_) {
      if (writer) ARROW_RETURN_NOT_OK(writer->Flush());
    }
    return arrow::Status::OK();
  }

  bool HasInput(size_t partition) const {
    return std::ranges::any_of(step_.takes, [&](Kind kind) { return in_[kind]->bytes(partition) > 0; });
  }

  // One partition after another, so that what is not handed on yet is not made yet.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextOfTable() {
    while (true) {
      if (auto batch = table_.Next()) return batch;
      while (next_partition_ < partitioning_.count() && !HasInput(next_partition_)) ++next_partition_;
      if (next_partition_ == partitioning_.count()) return nullptr;
      ARROW_RETURN_NOT_OK((this->*step_.partition)(next_partition_++));
      ARROW_RETURN_NOT_OK(table_.Flush());
    }
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextPieces() {
    arrow::StringBuilder kinds;
    arrow::Int32Builder partitions;
    arrow::Int32Builder places;
    arrow::BinaryBuilder data;
    while (data.value_data_length() < static_cast<int64_t>(kBatchBytes)) {
      if (pieces_.empty() && !LoadPieces()) break;
      ARROW_RETURN_NOT_OK(load_status_);
      const std::vector<char>& piece = pieces_.front();
      ARROW_RETURN_NOT_OK(kinds.Append(kKindNames[next_kind_]));
      ARROW_RETURN_NOT_OK(partitions.Append(static_cast<int32_t>(next_partition_)));
      ARROW_RETURN_NOT_OK(places.Append(config_.places[next_partition_]));
      ARROW_RETURN_NOT_OK(data.Append(piece.data(), static_cast<int32_t>(piece.size())));
      pieces_.pop_front();
    }
    ARROW_RETURN_NOT_OK(load_status_);
    const int64_t rows = data.length();
    if (rows == 0) return nullptr;
    arrow::ArrayVector arrays(4);
    ARROW_RETURN_NOT_OK(kinds.Finish(&arrays[0]));
    ARROW_RETURN_NOT_OK(partitions.Finish(&arrays[1]));
    ARROW_RETURN_NOT_OK(places.Finish(&arrays[2]));
    ARROW_RETURN_NOT_OK(data.Finish(&arrays[3]));
    return arrow::RecordBatch::Make(ChunksSchema(), rows, std::move(arrays));
  }

  // The pieces of the next partition that has some; false at the end.
  bool LoadPieces() {
    if (started_) ++next_partition_;
    started_ = true;
    for (; next_kind_ < kKinds; ++next_kind_, next_partition_ = 0) {
      if (out_[next_kind_] == nullptr) continue;
      SpillPartitions& out = *out_[next_kind_];
      for (; next_partition_ < partitioning_.count(); ++next_partition_) {
        if (out.bytes(next_partition_) == 0) continue;
        load_status_ = out.TakeChunks(next_partition_, [this](std::span<const char> chunk) {
          if (pieces_.empty() || pieces_.back().size() + chunk.size() > kPieceBytes) pieces_.emplace_back();
          pieces_.back().insert(pieces_.back().end(), chunk.begin(), chunk.end());
          return arrow::Status::OK();
        });
        return true;
      }
    }
    return false;
  }

  // --- the steps ---

  arrow::Status Store(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const std::span<const char> stored,
                          storer_.Store(in_[kCounted].get(), partition, memory_.load));
    int64_t paragraphs = 0;
    for (size_t begin = 0; begin < stored.size();) {  // in pieces, between paragraphs
      size_t end = begin;
      while (end < stored.size() && end - begin < kPieceBytes) {
        end += reinterpret_cast<const StoredHeader*>(stored.data() + end)->stored_bytes();
        ++paragraphs;
      }
      ARROW_RETURN_NOT_OK(Out(kStored)->AppendChunk(partition, stored.subspan(begin, end - begin)));
      begin = end;
    }
    Count("distinct_paragraphs", paragraphs);
    counts_["distinct_text_bytes"] = storer_.text_bytes();
    return arrow::Status::OK();
  }

  arrow::Status MakeHeads(size_t partition) {
    return in_[kStored]->TakeChunks(partition, [&](std::span<const char> piece) -> arrow::Status {
      for (size_t at = 0; at < piece.size();) {
        const auto& stored = *reinterpret_cast<const StoredHeader*>(piece.data() + at);
        ARROW_RETURN_NOT_OK(To(kHeads)->AppendRecord(partition, ParagraphHead(stored)));
        at += stored.stored_bytes();
      }
      return arrow::Status::OK();
    });
  }

  arrow::Status MakeEntries(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const StoredParagraphs paragraphs, Gather(in_[kStored].get(), partition));
    ARROW_RETURN_NOT_OK(entry_maker_.Make(paragraphs, partition, To(kEntries)));
    counts_["bucket_entries"] = entry_maker_.entries();
    return arrow::Status::OK();
  }

  PairTargets Targets() { return {partitioning_.count(), To(kPairs), To(kAside), To(kKept), To(kNeighbours)}; }
  arrow::Status Pair(size_t partition) {
    return PairSmallBuckets(in_[kEntries].get(), partition, memory_.load, Targets());
  }
  arrow::Status Keep(size_t partition) { return KeepLeast(in_[kAside].get(), partition, memory_.load, Targets()); }
  arrow::Status PairLarge(size_t partition) {
    return PairLargeBuckets(in_[kKept].get(), partition, memory_.load, To(kPairs));
  }

  // Hands the last ranks of a range to the ranges that need them.
  arrow::Status Tails(size_t partition) {
    const auto found = config_.tails.find(static_cast<int32_t>(partition));
    if (found == config_.tails.end()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const Bytes bytes, in_[kEntries]->Take(partition));
    const std::span<BucketEntry> entries = Records<BucketEntry>(bytes);
    const size_t most = std::min(entries.size(), static_cast<size_t>(config_.near_duplicates.window));
    const auto middle = entries.end() - static_cast<std::ptrdiff_t>(most);
    std::nth_element(entries.begin(), middle, entries.end(), IsBeforeBySketch);
    for (const int32_t to : found->second) {
      for (auto entry = middle; entry != entries.end(); ++entry) {
        ARROW_RETURN_NOT_OK(To(kTails)->AppendRecord(static_cast<size_t>(to), *entry));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status PairRanges(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const Bytes tails, in_[kTails]->Take(partition));
    const std::span<BucketEntry> before = Records<BucketEntry>(tails);
    std::ranges::sort(before, IsBeforeBySketch);
    const size_t most = std::min(before.size(), static_cast<size_t>(config_.near_duplicates.window));
    std::vector<BucketEntry> window(before.end() - static_cast<std::ptrdiff_t>(most), before.end());
    return PairRanks(in_[kEntries].get(), partition, memory_.load, config_.near_duplicates.window, &window, To(kPairs));
  }

  arrow::Status Attach(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const StoredParagraphs paragraphs, Gather(in_[kStored].get(), partition));
    return ForEachDistinctPairs(in_[kPairs].get(), partition, memory_.load, [&](std::span<const CandidatePair> pairs) {
      Count("candidate_pairs", static_cast<int64_t>(pairs.size()));
      return AttachFirsts(paragraphs, pairs, [](size_t second) { return second; }, &record_, To(kAttached));
    });
  }

  arrow::Status Compare(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const StoredParagraphs paragraphs, Gather(in_[kStored].get(), partition));
    RowComparer comparer;
    std::vector<uint64_t> sums(paragraphs.size());  // of the seconds' near-duplicates
    uint64_t sum = 0;                               // of the first's
    const auto paragraph = [&paragraphs](uint64_t number) -> const StoredHeader& {
      return paragraphs[LocalOf(number)];
    };
    const auto add_near = [&](uint64_t /*first*/, const StoredHeader& first, uint64_t number) {
      const StoredHeader& second = paragraph(number);
      sum += second.count;
      sums[LocalOf(number)] += first.count;
      return To(kNear)->AppendRecord(partitioning_(first.hash), HashPair{first.hash, second.hash});
    };
    const auto end_first = [&](uint64_t first) { return AddShare(first, std::exchange(sum, 0)); };
    ARROW_RETURN_NOT_OK(in_[kAttached]->TakeChunks(partition, [&](std::span<const char> bytes) {
      return comparer.CompareAttached(bytes, paragraph, add_near, end_first);
    }));
    for (size_t local = 0; local < sums.size(); ++local) {
      ARROW_RETURN_NOT_OK(AddShare(ParagraphNumber(partition, local), sums[local]));
    }
    return arrow::Status::OK();
  }

  arrow::Status AddShare(uint64_t paragraph, uint64_t sum) {
    if (sum == 0) return arrow::Status::OK();
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(sum, UINT32_MAX));
    return To(kNeighbours)->AppendRecord(PartitionOf(paragraph), NeighbourShare{paragraph, count, 0});
  }

  // The pairs of a partition, in order.
  arrow::Result<std::pair<Bytes, std::span<const HashPair>>> NearPairs(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(Bytes bytes, in_[kNear]->Take(partition));
    const std::span<HashPair> pairs = Records<HashPair>(bytes);
    std::ranges::sort(pairs);
    Count("near_pairs", static_cast<int64_t>(pairs.size()));
    return std::pair(std::move(bytes), std::span<const HashPair>(pairs));
  }

  arrow::Status TakeByPivots() {
    std::unordered_set<int64_t> taken;
    for (size_t partition = 0; partition < partitioning_.count(); ++partition) {
      ARROW_ASSIGN_OR_RAISE(const auto near, NearPairs(partition));
      for (const HashPair& pair : near.second) {
        if (taken.contains(pair.first) || !taken.insert(pair.second).second) continue;
        ARROW_RETURN_NOT_OK(To(kTaken)->AppendRecord(partitioning_(pair.second), pair));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status TakeComponents() {
    std::unordered_map<int64_t, int64_t> parents;
    const auto root = [&parents](int64_t hash) {
      while (true) {
        int64_t& parent = parents.try_emplace(hash, hash).first->second;
        if (parent == hash) return hash;
        hash = parent = parents.at(parent);
      }
    };
    for (size_t partition = 0; partition < partitioning_.count(); ++partition) {
      ARROW_ASSIGN_OR_RAISE(const auto near, NearPairs(partition));
      for (const HashPair& pair : near.second) {
        const int64_t a = root(pair.first);
        const int64_t b = root(pair.second);
        parents[std::max(a, b)] = std::min(a, b);
      }
    }
    for (const auto& [hash, parent] : parents) {
      const int64_t pivot = root(hash);
      if (pivot != hash) ARROW_RETURN_NOT_OK(To(kTaken)->AppendRecord(partitioning_(hash), HashPair{pivot, hash}));
    }
    return arrow::Status::OK();
  }

  arrow::Status Share(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const Bytes heads, in_[kHeads]->Take(partition));
    ARROW_ASSIGN_OR_RAISE(const Bytes taken, in_[kTaken]->Take(partition));
    const std::span<ParagraphHead> paragraphs = Records<ParagraphHead>(heads);
    std::ranges::sort(paragraphs, {}, &ParagraphHead::hash);
    return ShareGroups(paragraphs, Records<HashPair>(taken), in_[kNeighbours].get(), partition, partitioning_,
                       To(kShares));
  }

  // Only rows that are written go on, as in StatisticsOutput.
  arrow::Status Sum(size_t partition) {
    GroupSizes sizes;
    ARROW_RETURN_NOT_OK(SumGroups(in_[kShares].get(), partition, memory_.load, &sizes,
                                  [this](const StatisticsRow& row, const GroupShare& share) {
                                    if (row.near_freq <= 1 && !config_.intermediate && share.has_text != 0) {
                                      return arrow::Status::OK();
                                    }
                                    return To(kRows)->AppendRecord(partitioning_(row.hash), row);
                                  }));
    Count("groups", sizes.groups);
    counts_["largest_group"] = std::max(counts_.value("largest_group", int64_t{0}), sizes.largest);
    return arrow::Status::OK();
  }

  arrow::Status ListPairs(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const auto near, NearPairs(partition));
    for (const HashPair& pair : near.second) ARROW_RETURN_NOT_OK(table_.Add({pair.first, pair.second}));
    return arrow::Status::OK();
  }

  arrow::Status ListRows(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const Bytes bytes, in_[kRows]->Take(partition));
    const std::span<StatisticsRow> rows = Records<StatisticsRow>(bytes);
    std::ranges::sort(rows, {}, &StatisticsRow::hash);
    for (const StatisticsRow& row : rows) {
      ARROW_RETURN_NOT_OK(table_.Add({row.hash, row.repr_hash, row.exact_freq, row.near_freq}));
    }
    Count("rows", static_cast<int64_t>(rows.size()));
    Count("index_entries", std::ranges::count_if(rows, [](const StatisticsRow& row) { return row.near_freq > 1; }));
    return arrow::Status::OK();
  }

  arrow::Status ListTexts(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const StoredParagraphs paragraphs, Gather(in_[kStored].get(), partition));
    for (size_t i = 0; i < paragraphs.size(); ++i) {
      const StoredHeader& paragraph = paragraphs[i];
      const auto count = std::min<int64_t>(paragraph.count, INT32_MAX);
      ARROW_RETURN_NOT_OK(table_.Add(
          {paragraph.hash, paragraph.given_pivot, count, GivenNearFreq(paragraph.count, paragraph.given_near)},
          paragraph.text()));
    }
    return arrow::Status::OK();
  }

  // Groups are told with their texts.
  arrow::Status ListGroups(size_t partition) {
    ARROW_ASSIGN_OR_RAISE(const StoredParagraphs paragraphs, Gather(in_[kStored].get(), partition));
    ARROW_ASSIGN_OR_RAISE(const Bytes bytes, in_[kRows]->Take(partition));
    const std::span<StatisticsRow> rows = Records<StatisticsRow>(bytes);
    std::ranges::sort(rows, {}, &StatisticsRow::hash);
    size_t i = 0;
    for (const StatisticsRow& row : rows) {
      if (row.near_freq <= 1) continue;
      while (paragraphs[i].hash != row.hash) ++i;
      ARROW_RETURN_NOT_OK(
          table_.Add({row.group_freq, row.repr_hash, row.near_freq, row.exact_freq, row.hash}, paragraphs[i].text()));
    }
    return arrow::Status::OK();
  }

  void Count(const char* name, int64_t number) { counts_[name] = counts_.value(name, int64_t{0}) + number; }

  const StepConfig config_;
  const Step& step_;
  const HashPartitioning partitioning_;
  const StatisticsPlan memory_;
  MemoryBudget budget_;
  SpillSpace space_;
  const size_t buffer_bytes_;
  std::array<std::unique_ptr<SpillPartitions>, kKinds> in_;
  std::array<std::unique_ptr<SpillPartitions>, kKinds> out_;
  std::array<std::optional<SpillPartitions::Writer>, kKinds> writers_;
  nlohmann::json counts_ = nlohmann::json::object();

  std::optional<DocumentCounter> documents_;
  std::optional<ParagraphCounter> statistics_;
  ParagraphStorer storer_;
  EntryMaker entry_maker_;
  std::string record_;
  RowsBuilder table_;

  bool run_ = false;
  bool started_ = false;
  size_t next_kind_ = 0;
  size_t next_partition_ = 0;
  std::deque<std::vector<char>> pieces_;
  arrow::Status load_status_;
};

const std::map<std::string, StepTask::Work::Step>& StepTask::Work::Steps() {
  static const auto* const kSteps = new std::map<std::string, Step>{
      {"count", {}},
      {"take", {}},
      {"store", {.takes = {kCounted}, .partition = &Work::Store}},
      {"entries", {.takes = {kStored}, .partition = &Work::MakeEntries}},
      {"pair", {.takes = {kEntries}, .partition = &Work::Pair}},
      {"keep", {.takes = {kAside}, .partition = &Work::Keep}},
      {"pair-large", {.takes = {kKept}, .partition = &Work::PairLarge}},
      {"tails", {.takes = {kEntries}, .partition = &Work::Tails}},
      {"pair-ranks", {.takes = {kEntries, kTails}, .partition = &Work::PairRanges}},
      {"attach", {.takes = {kPairs, kStored}, .partition = &Work::Attach}},
      {"compare", {.takes = {kAttached, kStored}, .partition = &Work::Compare}},
      {"pivot", {.takes = {kNear}, .all = &Work::TakeByPivots}},
      {"components", {.takes = {kNear}, .all = &Work::TakeComponents}},
      {"heads", {.takes = {kStored}, .partition = &Work::MakeHeads}},
      {"share", {.takes = {kTaken, kHeads, kNeighbours}, .partition = &Work::Share}},
      {"sum", {.takes = {kShares}, .partition = &Work::Sum}},
      {"list-pairs", {.table = Table::kPairs, .takes = {kNear}, .partition = &Work::ListPairs}},
      {"list-rows", {.table = Table::kRows, .takes = {kRows}, .partition = &Work::ListRows}},
      {"list-texts", {.table = Table::kTexts, .takes = {kStored}, .partition = &Work::ListTexts}},
      {"list-groups", {.table = Table::kGroups, .takes = {kRows, kStored}, .partition = &Work::ListGroups}}};
  return *kSteps;
}

std::shared_ptr<arrow::Schema> ChunksSchema() {
  return arrow::schema({arrow::field("kind", arrow::utf8()), arrow::field("partition", arrow::int32()),
                        arrow::field("place", arrow::int32()), arrow::field("data", arrow::binary())});
}

arrow::Result<std::unique_ptr<StepTask>> StepTask::Make(StepConfig config) {
  const auto step = Work::Steps().find(config.step);
  if (step == Work::Steps().end()) return arrow::Status::Invalid("there is no step '", config.step, "'");
  if (config.memory < kLeastTaskMemory) {
    return arrow::Status::Invalid("a task needs ", kLeastTaskMemory >> 20, "MiB, not ", config.memory >> 20, "MiB");
  }
  if (config.places.size() != HashPartitioning(config.partition_bits).count()) {
    return arrow::Status::Invalid("there are ", config.places.size(), " places for 2^", config.partition_bits,
                                  " partitions");
  }
  return std::unique_ptr<StepTask>(new StepTask(std::make_unique<Work>(std::move(config), step->second)));
}

StepTask::StepTask(std::unique_ptr<Work> work) : work_(std::move(work)) {}
StepTask::~StepTask() = default;
arrow::Status StepTask::Add(const arrow::RecordBatch& batch) { return work_->Add(batch); }
arrow::Status StepTask::AddText(std::string_view text) { return work_->AddText(text); }
arrow::Status StepTask::AddTexts(const arrow::RecordBatch& batch, const std::string& column) {
  return work_->AddTexts(batch, column);
}
arrow::Status StepTask::AddStatistics(const arrow::RecordBatch& batch) { return work_->AddStatistics(batch); }
arrow::Status StepTask::AddTaken(const arrow::RecordBatch& batch) { return work_->AddTaken(batch); }
arrow::Result<std::shared_ptr<arrow::RecordBatch>> StepTask::Next() { return work_->Next(); }
std::shared_ptr<arrow::Schema> StepTask::schema() const { return work_->schema(); }
nlohmann::json StepTask::counts() const { return work_->counts(); }

}  // namespace uzushio
