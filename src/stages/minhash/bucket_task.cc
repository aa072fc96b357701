#include "stages/minhash/bucket_task.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace uzushio {
namespace {

constexpr int64_t kRowsBytes = int64_t{1} << 20;
constexpr int64_t kReadAhead = int64_t{4} << 20;
constexpr int kMostBits = 16;

const std::shared_ptr<arrow::Schema>& BucketRows() {
  static const auto schema =
      arrow::schema({arrow::field("number", arrow::int64(), false), arrow::field("high", arrow::int64(), false),
                     arrow::field("low", arrow::int64(), false), arrow::field("id", arrow::binary(), false),
                     arrow::field("buckets", arrow::binary(), false)});
  return schema;
}

const std::shared_ptr<arrow::Schema>& FoundRows() {
  static const auto schema =
      arrow::schema({arrow::field("kind", arrow::utf8(), false), arrow::field("number", arrow::int64(), false),
                     arrow::field("source", arrow::int32(), false), arrow::field("leader", arrow::int64(), false),
                     arrow::field("first", arrow::int64(), false), arrow::field("order", arrow::binary(), false),
                     arrow::field("id", arrow::binary(), false), arrow::field("data", arrow::binary(), false)});
  return schema;
}

// The columns of a row of BucketRows.
class BucketColumns {
 public:
  static arrow::Result<BucketColumns> Of(const arrow::RecordBatch& batch) {
    BucketColumns columns;
    for (const auto& field : BucketRows()->fields()) {
      const auto column = batch.GetColumnByName(field->name());
      if (column == nullptr || !column->type()->Equals(field->type()) || column->null_count() > 0) {
        return arrow::Status::Invalid("a column '", field->name(), "' of ", field->type()->ToString(), " is expected");
      }
      columns.arrays_.push_back(column);
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (columns.buckets(row).size() % sizeof(uint64_t) != 0) return arrow::Status::Invalid("damaged buckets");
    }
    return columns;
  }
  int64_t number(int64_t row) const { return Number(0, row); }
  Priority priority(int64_t row) const {
    return {static_cast<uint64_t>(Number(1, row)), static_cast<uint64_t>(Number(2, row))};
  }
  std::string_view id(int64_t row) const { return Text(3, row); }
  std::string_view buckets(int64_t row) const { return Text(4, row); }

 private:
  int64_t Number(size_t column, int64_t row) const {
    return static_cast<const arrow::Int64Array&>(*arrays_[column]).Value(row);
  }
  std::string_view Text(size_t column, int64_t row) const {
    return static_cast<const arrow::BinaryArray&>(*arrays_[column]).GetView(row);
  }
  arrow::ArrayVector arrays_;
};

std::vector<uint64_t> BucketsIn(std::string_view bytes) {
  std::vector<uint64_t> buckets(bytes.size() / sizeof(uint64_t));
  std::memcpy(buckets.data(), bytes.data(), bytes.size());
  return buckets;
}

// What orders documents of one `first`, byte by byte. The set whose index it is may have been made by another rule.
std::string OrderOf(const Priority& priority, const std::string& id) {
  std::string order;
  for (int shift = 40; shift >= 0; shift -= 8) order += static_cast<char>(priority.rank() >> shift);
  return order + id;
}

struct BucketRowsBuilder {
  arrow::Int64Builder number;
  arrow::Int64Builder high;
  arrow::Int64Builder low;
  arrow::BinaryBuilder id;
  arrow::BinaryBuilder buckets;

  arrow::Status Add(const BucketColumns& from, int64_t row, std::span<const uint64_t> of) {
    ARROW_RETURN_NOT_OK(number.Append(from.number(row)));
    ARROW_RETURN_NOT_OK(high.Append(static_cast<int64_t>(from.priority(row).high)));
    ARROW_RETURN_NOT_OK(low.Append(static_cast<int64_t>(from.priority(row).low)));
    ARROW_RETURN_NOT_OK(id.Append(from.id(row)));
    return buckets.Append(reinterpret_cast<const uint8_t*>(of.data()), static_cast<int32_t>(of.size_bytes()));
  }
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() {
    const int64_t rows = number.length();
    if (rows == 0) return nullptr;
    arrow::ArrayVector columns(5);
    ARROW_RETURN_NOT_OK(number.Finish(columns.data()));
    ARROW_RETURN_NOT_OK(high.Finish(&columns[1]));
    ARROW_RETURN_NOT_OK(low.Finish(&columns[2]));
    ARROW_RETURN_NOT_OK(id.Finish(&columns[3]));
    ARROW_RETURN_NOT_OK(buckets.Finish(&columns[4]));
    return arrow::RecordBatch::Make(BucketRows(), rows, std::move(columns));
  }
};

}  // namespace

arrow::Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> SpreadBuckets(const arrow::RecordBatch& documents,
                                                                              int bits) {
  if (bits < 1 || bits > kMostBits) return arrow::Status::Invalid(bits, " bits of partitions");
  ARROW_ASSIGN_OR_RAISE(const BucketColumns columns, BucketColumns::Of(documents));
  const auto partition_of = [bits](uint64_t bucket) { return bucket >> (64 - bits); };
  std::vector<BucketRowsBuilder> builders(size_t{1} << bits);
  for (int64_t row = 0; row < documents.num_rows(); ++row) {
    std::vector<uint64_t> buckets = BucketsIn(columns.buckets(row));
    std::ranges::sort(buckets);
    for (size_t begin = 0; begin < buckets.size();) {
      const uint64_t partition = partition_of(buckets[begin]);
      size_t end = begin + 1;
      while (end < buckets.size() && partition_of(buckets[end]) == partition) ++end;
      ARROW_RETURN_NOT_OK(builders[partition].Add(columns, row, std::span(buckets).subspan(begin, end - begin)));
      begin = end;
    }
  }
  std::vector<std::shared_ptr<arrow::RecordBatch>> partitions;
  for (BucketRowsBuilder& builder : builders) {
    ARROW_ASSIGN_OR_RAISE(partitions.emplace_back(), builder.Finish());
  }
  return partitions;
}

// Rows of both kinds, handed on some at a time.
class BucketTask::Rows {
 public:
  using Texts = std::array<std::string_view, 3>;  // order, id, data

  explicit Rows(const BoundedProducer<Batch>::Push* push) : push_(push) {}

  arrow::Status AddFollower(int64_t number, uint64_t source, int64_t leader, const Priority& priority,
                            std::string_view order, std::string_view id) {
    return Add("follower", number, static_cast<int32_t>(source), leader, static_cast<int64_t>(priority.high >> 24),
               Texts{order, id, ""});
  }
  arrow::Status AddBucket(const DocumentBucket& bucket) {
    buckets_.push_back(bucket);
    return buckets_.size() * sizeof bucket < kRowsBytes ? arrow::Status::OK() : FlushBuckets();
  }
  arrow::Status Finish() {
    ARROW_RETURN_NOT_OK(FlushBuckets());
    return Flush();
  }

 private:
  // Buckets are in the order of unsigned numbers, and these of signed ones.
  arrow::Status FlushBuckets() {
    if (buckets_.empty()) return arrow::Status::OK();
    const auto place = static_cast<int64_t>(buckets_.front().bucket ^ uint64_t{1} << 63);
    const std::string_view data(reinterpret_cast<const char*>(buckets_.data()), buckets_.size() * sizeof buckets_[0]);
    ARROW_RETURN_NOT_OK(Add("bucket", place, 0, 0, 0, Texts{"", "", data}));
    buckets_.clear();
    return arrow::Status::OK();
  }
  arrow::Status Add(const char* kind, int64_t number, int32_t source, int64_t leader, int64_t first,
                    const Texts& texts) {
    ARROW_RETURN_NOT_OK(kind_.Append(kind));
    ARROW_RETURN_NOT_OK(number_.Append(number));
    ARROW_RETURN_NOT_OK(source_.Append(source));
    ARROW_RETURN_NOT_OK(leader_.Append(leader));
    ARROW_RETURN_NOT_OK(first_.Append(first));
    for (size_t i = 0; i < texts.size(); ++i) {
      ARROW_RETURN_NOT_OK(texts_[i].Append(texts[i]));
      bytes_ += static_cast<int64_t>(texts[i].size());
    }
    bytes_ += 40;
    return bytes_ < kRowsBytes ? arrow::Status::OK() : Flush();
  }
  arrow::Status Flush() {
    const int64_t rows = kind_.length();
    if (rows == 0) return arrow::Status::OK();
    arrow::ArrayVector columns(8);
    ARROW_RETURN_NOT_OK(kind_.Finish(columns.data()));
    ARROW_RETURN_NOT_OK(number_.Finish(&columns[1]));
    ARROW_RETURN_NOT_OK(source_.Finish(&columns[2]));
    ARROW_RETURN_NOT_OK(leader_.Finish(&columns[3]));
    ARROW_RETURN_NOT_OK(first_.Finish(&columns[4]));
    for (size_t i = 0; i < texts_.size(); ++i) ARROW_RETURN_NOT_OK(texts_[i].Finish(&columns[5 + i]));
    return (*push_)(arrow::RecordBatch::Make(FoundRows(), rows, std::move(columns)), std::exchange(bytes_, 0));
  }

  const BoundedProducer<Batch>::Push* push_;
  std::vector<DocumentBucket> buckets_;
  arrow::StringBuilder kind_;
  arrow::Int64Builder number_;
  arrow::Int32Builder source_;
  arrow::Int64Builder leader_;
  arrow::Int64Builder first_;
  std::array<arrow::BinaryBuilder, 3> texts_;
  int64_t bytes_ = 0;
};

BucketTask::BucketTask(BucketTaskConfig config)
    : config_(std::move(config)),
      plan_(PlanMinHash(config_.memory, 1, false)),
      budget_(plan_.partitions),
      space_(config_.tmp),
      resources_{plan_, 1, &budget_, &space_},
      buckets_(std::make_unique<BucketPartitions>(resources_)) {}

BucketTask::~BucketTask() = default;

arrow::Result<std::unique_ptr<BucketTask>> BucketTask::Make(BucketTaskConfig config) {
  auto task = std::unique_ptr<BucketTask>(new BucketTask(std::move(config)));
  ARROW_ASSIGN_OR_RAISE(task->folder_, TemporaryFolder::Make(task->config_.tmp / "buckets-"));
  ARROW_ASSIGN_OR_RAISE(task->writer_, DocumentIndexWriter::Create(task->folder_->path() / "documents", {}));
  return task;
}

arrow::Status BucketTask::Add(const arrow::RecordBatch& rows) {
  ARROW_ASSIGN_OR_RAISE(const BucketColumns columns, BucketColumns::Of(rows));
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const int64_t number = columns.number(row);
    if (number <= last_) return arrow::Status::UnknownError("documents of buckets are not in order");
    last_ = number;
    Priority priority = columns.priority(row);
    priority.low |= documents_++;
    for (const uint64_t bucket : BucketsIn(columns.buckets(row))) {
      ARROW_RETURN_NOT_OK(buckets_->Add({bucket, priority}));
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(&number);
    ARROW_RETURN_NOT_OK(writer_->AddDocument(columns.id(row), std::span(bytes, sizeof number)));
  }
  return arrow::Status::OK();
}

arrow::Result<uint64_t> BucketTask::NumberOf(uint64_t local) const {
  ARROW_ASSIGN_OR_RAISE(const IndexedDocument document, table_->Read(local));
  uint64_t number = 0;
  std::memcpy(&number, document.sketch.data(), sizeof number);
  return number;
}

// Those of one document: all that are looked at, or the highest.
arrow::Status BucketTask::AddLeaders(std::span<const Follower> followers, Rows* rows) const {
  ARROW_ASSIGN_OR_RAISE(const uint64_t number, NumberOf(followers.front().number));
  for (const Follower& follower : config_.leaders.compared > 1 ? followers : followers.first(1)) {
    const Leader& leader = follower.leader;
    ARROW_ASSIGN_OR_RAISE(const IndexedDocument document, sets_.sets[leader.source].table->Read(leader.number()));
    uint64_t place = leader.number();
    if (leader.source == sets_.own) {
      ARROW_ASSIGN_OR_RAISE(place, NumberOf(place));
    }
    ARROW_RETURN_NOT_OK(rows->AddFollower(static_cast<int64_t>(number), leader.source, static_cast<int64_t>(place),
                                          leader.priority, OrderOf(leader.priority, config_.by_ids ? document.id : ""),
                                          document.id));
  }
  return arrow::Status::OK();
}

arrow::Status BucketTask::Work(const BoundedProducer<Batch>::Push& push) {
  Rows rows(&push);
  const auto no_progress = [](double /*share*/) {};
  const auto use_bucket = [&](DocumentBucket bucket) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const uint64_t number, NumberOf(bucket.priority.number()));
    bucket.priority.low = (bucket.priority.low & ~Priority::kMostNumber) | number;
    return rows.AddBucket(bucket);
  };
  std::unique_ptr<FollowerPartitions> followers;
  if (!config_.index_only) followers = std::make_unique<FollowerPartitions>(resources_, documents_);
  ARROW_RETURN_NOT_OK(FindFollowers(resources_, sets_, config_.leaders, buckets_.get(), use_bucket, followers.get(),
                                    nullptr, nullptr, no_progress));
  if (followers != nullptr) {
    const auto hand_on = [&](size_t /*thread*/,
                             std::span<const Follower> leaders) -> arrow::Result<std::optional<Duplicate>> {
      ARROW_RETURN_NOT_OK(AddLeaders(leaders, &rows));
      return std::nullopt;
    };
    const auto none = [](const std::vector<Duplicate>& /*duplicates*/) { return arrow::Status::OK(); };
    ARROW_RETURN_NOT_OK(FindDuplicates(resources_, sets_, followers.get(), hand_on, none, no_progress));
  }
  return rows.Finish();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BucketTask::Next() {
  if (made_ == nullptr) {
    ARROW_RETURN_NOT_OK(buckets_->Finish());
    ARROW_RETURN_NOT_OK(writer_->FinishDocuments().status());
    ARROW_ASSIGN_OR_RAISE(table_, DocumentTable::Open(folder_->path() / "documents", sizeof(int64_t)));
    sets_.decided = config_.decided;
    sets_.by_ids = config_.by_ids;
    for (const auto& set : config_.sets) {
      if (set == nullptr) sets_.own = sets_.sets.size();
      sets_.sets.push_back({set.get(), {}, set != nullptr ? &set->documents() : table_.get()});
    }
    made_ = std::make_unique<BoundedProducer<Batch>>(kReadAhead, [this](const auto& push) { return Work(push); });
  }
  ARROW_ASSIGN_OR_RAISE(auto next, made_->Next());
  return next ? std::move(*next) : nullptr;
}

}  // namespace uzushio
