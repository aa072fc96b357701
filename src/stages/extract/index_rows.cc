// The idea: of each wanted row 40 bytes are kept, with hashes of what is compared and the number of the file's name.
// Runs of them that fit the memory are sorted and written to a temporary file, and merged into another: each row is
// written twice at most. Names of files, of which a crawl has 10^5, stay in memory.
#include "stages/extract/index_rows.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <queue>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/memory_error.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "base/text_hash.h"
#include "datasets/columns.h"
#include "datasets/parquet_file.h"
#include "warc/cdxj.h"
#include "warc/headers.h"

namespace uzushio {
namespace {

constexpr const char* kUrl = "url";
constexpr const char* kHost = "url_host_name";
constexpr const char* kTld = "url_host_tld";
constexpr const char* kTime = "fetch_time";
constexpr const char* kStatus = "fetch_status";
constexpr const char* kDigest = "content_digest";
constexpr const char* kType = "content_mime_type";
constexpr const char* kDetected = "content_mime_detected";
constexpr const char* kContentLanguages = "content_languages";
constexpr const char* kFile = "warc_filename";
constexpr const char* kOffset = "warc_record_offset";
constexpr const char* kLength = "warc_record_length";

bool IsOneOf(std::string_view value, const std::vector<std::string>& values) {
  return std::ranges::find(values, value) != values.end();
}

bool IsBelow(std::string_view host, std::string_view domain) {
  return host.ends_with(domain) && (host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.');
}

// --- what row groups' statistics rule out ---

// A column's statistics in a row group; null where there are none of its values' range.
template <typename Statistics>
std::shared_ptr<Statistics> RangeOf(const parquet::ColumnChunkMetaData& chunk) {
  if (!chunk.is_stats_set()) return nullptr;
  auto statistics = std::dynamic_pointer_cast<Statistics>(chunk.statistics());
  return statistics != nullptr && statistics->HasMinMax() ? statistics : nullptr;
}

// Whether a text that begins with one of these may be among those of the range.
bool MayHoldPrefix(const parquet::ColumnChunkMetaData& chunk, const std::vector<std::string>& prefixes) {
  const auto range = RangeOf<parquet::ByteArrayStatistics>(chunk);
  if (range == nullptr) return true;
  const std::string least(std::string_view(range->min()));
  const std::string greatest(std::string_view(range->max()));
  return std::ranges::any_of(prefixes, [&](const std::string& prefix) {
    return greatest >= prefix && least.substr(0, prefix.size()) <= prefix;
  });
}

bool MayHoldNumber(const parquet::ColumnChunkMetaData& chunk, int64_t least, int64_t greatest) {
  if (const auto range = RangeOf<parquet::Int32Statistics>(chunk)) {
    return range->max() >= least && range->min() <= greatest;
  }
  const auto range = RangeOf<parquet::Int64Statistics>(chunk);
  return range == nullptr || (range->max() >= least && range->min() <= greatest);
}

// Times that are stored as whole numbers since 1970; their unit is in the schema.
bool MayHoldTime(const parquet::ColumnChunkMetaData& chunk, const parquet::ColumnDescriptor& column,
                 const IndexQuery& query) {
  const auto range = RangeOf<parquet::Int64Statistics>(chunk);
  const auto* const type = dynamic_cast<const parquet::TimestampLogicalType*>(column.logical_type().get());
  if (range == nullptr || type == nullptr) return true;
  const int64_t unit = type->time_unit() == parquet::LogicalType::TimeUnit::MILLIS   ? 1
                       : type->time_unit() == parquet::LogicalType::TimeUnit::MICROS ? 1000
                                                                                     : 1000000;
  // Rounded down, as the values are.
  return (!query.from || range->max() / unit >= *query.from - 1) && (!query.to || range->min() / unit <= *query.to);
}

bool MayMatch(const parquet::FileMetaData& metadata, int group, const IndexQuery& query) {
  const auto rows = metadata.RowGroup(group);
  const auto chunk = [&](const char* name) -> std::unique_ptr<parquet::ColumnChunkMetaData> {
    const int place = PlaceInParquet(metadata, name);
    return place < 0 ? nullptr : rows->ColumnChunk(place);
  };
  if (!query.languages.empty() && !MayHoldPrefix(*chunk(kContentLanguages), query.languages)) return false;
  if (!query.tlds.empty() && !MayHoldPrefix(*chunk(kTld), query.tlds)) return false;
  if (!query.hosts.empty()) {
    // A host lies in the domain that it ends with.
    std::vector<std::string> tlds;
    tlds.reserve(query.hosts.size());
    for (const std::string& host : query.hosts) tlds.push_back(host.substr(host.rfind('.') + 1));
    const auto tld = chunk(kTld);
    const bool are_names = std::ranges::none_of(query.hosts, [](const std::string& host) {
      return host.ends_with(']') || (host.back() >= '0' && host.back() <= '9');
    });
    if (are_names && tld != nullptr && !MayHoldPrefix(*tld, tlds)) return false;
  }
  if (!query.statuses.empty()) {
    const auto status = chunk(kStatus);
    const auto may_hold = [&status](int64_t value) { return MayHoldNumber(*status, value, value); };
    if (std::ranges::none_of(query.statuses, may_hold)) return false;
  }
  if (query.from || query.to) {
    const int place = PlaceInParquet(metadata, kTime);
    if (!MayHoldTime(*rows->ColumnChunk(place), *metadata.schema()->Column(place), query)) return false;
  }
  return true;
}

// --- rows ---

// The columns that are read of a table.
struct IndexColumns {
  std::vector<std::string> names;

  bool Has(const char* name) const { return IsOneOf(name, names); }
};

arrow::Status CheckTimeColumn(const arrow::Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(const int place, ColumnPlace(schema, kTime));
  const arrow::DataType& type = *schema.field(place)->type();
  if (type.id() == arrow::Type::TIMESTAMP || type.id() == arrow::Type::NA) return arrow::Status::OK();
  return arrow::Status::Invalid("column '", kTime, "' is of type ", type.ToString(), ", and times are wanted");
}

arrow::Result<IndexColumns> ColumnsFor(const arrow::Schema& schema, const IndexQuery& query) {
  IndexColumns columns;
  const auto has = [&schema](const char* name) { return !schema.GetAllFieldIndices(name).empty(); };
  const auto text = [&](const char* name, bool is_needed) -> arrow::Status {
    if (!is_needed && !has(name)) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(CheckTextColumn(schema, name));
    columns.names.emplace_back(name);
    return arrow::Status::OK();
  };
  const auto integer = [&](const char* name) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const int place, ColumnPlace(schema, name));
    const bool is_null = schema.field(place)->type()->id() == arrow::Type::NA;  // no value is known
    if (!is_null) ARROW_RETURN_NOT_OK(CheckIntegerColumn(schema, name));
    columns.names.emplace_back(name);
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(text(kFile, true));
  ARROW_RETURN_NOT_OK(integer(kOffset));
  ARROW_RETURN_NOT_OK(integer(kLength));
  ARROW_RETURN_NOT_OK(text(kUrl, false));
  ARROW_RETURN_NOT_OK(text(kDigest, false));
  if (has(kStatus) || !query.statuses.empty()) ARROW_RETURN_NOT_OK(integer(kStatus));
  if (!query.languages.empty() || !query.any_languages.empty()) ARROW_RETURN_NOT_OK(text(kContentLanguages, true));
  if (!query.types.empty()) {
    ARROW_RETURN_NOT_OK(text(kType, !has(kDetected)));
    ARROW_RETURN_NOT_OK(text(kDetected, false));
  }
  if (!query.hosts.empty()) ARROW_RETURN_NOT_OK(text(kHost, true));
  if (!query.tlds.empty()) ARROW_RETURN_NOT_OK(text(kTld, true));
  if (query.from || query.to) {
    ARROW_RETURN_NOT_OK(CheckTimeColumn(schema));
    columns.names.emplace_back(kTime);
  }
  return columns;
}

// The columns of a batch in the types that are looked at; null where there is none.
class IndexBatch {
 public:
  arrow::Status Take(const arrow::RecordBatch& batch, const IndexColumns& columns) {
    const std::array<std::pair<const char*, std::shared_ptr<arrow::StringArray>*>, 8> texts = {
        {{kFile, &file_},
         {kUrl, &url_},
         {kDigest, &digest_},
         {kContentLanguages, &languages_},
         {kType, &type_},
         {kDetected, &detected_},
         {kHost, &host_},
         {kTld, &tld_}}};
    for (const auto& [name, column] : texts) {
      column->reset();
      if (columns.Has(name)) {
        ARROW_ASSIGN_OR_RAISE(*column, TextColumn(batch, name));
      }
    }
    const std::array<std::pair<const char*, std::shared_ptr<arrow::Int64Array>*>, 3> numbers = {
        {{kOffset, &offset_}, {kLength, &length_}, {kStatus, &status_}}};
    for (const auto& [name, column] : numbers) {
      column->reset();
      if (columns.Has(name)) {
        ARROW_ASSIGN_OR_RAISE(*column, Numbers(batch.GetColumnByName(name), arrow::int64()));
      }
    }
    time_.reset();
    if (columns.Has(kTime)) {
      auto time = batch.GetColumnByName(kTime);
      if (time->type_id() == arrow::Type::NA) {
        ARROW_ASSIGN_OR_RAISE(time, arrow::MakeArrayOfNull(arrow::timestamp(arrow::TimeUnit::MILLI), time->length()));
      }
      const auto& zone = static_cast<const arrow::TimestampType&>(*time->type()).timezone();
      ARROW_ASSIGN_OR_RAISE(const auto milliseconds,
                            arrow::compute::Cast(*time, arrow::timestamp(arrow::TimeUnit::MILLI, zone),
                                                 arrow::compute::CastOptions::Unsafe()));
      ARROW_ASSIGN_OR_RAISE(time_, Numbers(milliseconds, arrow::int64()));
    }
    return arrow::Status::OK();
  }

  bool Matches(int64_t row, const IndexQuery& query) const {
    if (!query.statuses.empty() &&
        (status_->IsNull(row) || std::ranges::find(query.statuses, status_->Value(row)) == query.statuses.end())) {
      return false;
    }
    if (!query.tlds.empty() && !IsOneOf(Text(tld_, row), query.tlds)) return false;
    if (!query.languages.empty() || !query.any_languages.empty()) {
      const std::string_view all = Text(languages_, row);
      if (!query.languages.empty() && !IsOneOf(all.substr(0, all.find(',')), query.languages)) return false;
      if (!query.any_languages.empty() && !HasAny(all, query.any_languages)) return false;
    }
    if (!query.types.empty()) {
      const std::string_view detected = Text(detected_, row);
      if (!IsOneOf(detected.empty() ? Text(type_, row) : detected, query.types)) return false;
    }
    if (!query.hosts.empty()) {
      const std::string_view host = Text(host_, row);
      if (std::ranges::none_of(query.hosts, [host](const std::string& domain) { return IsBelow(host, domain); })) {
        return false;
      }
    }
    if (!query.from && !query.to) return true;
    return !time_->IsNull(row) && (!query.from || time_->Value(row) >= *query.from) &&
           (!query.to || time_->Value(row) < *query.to);
  }

  std::string_view FileName(int64_t row) const { return Text(file_, row); }

  // All but the file's number.
  IndexedRecord Record(int64_t row) const {
    IndexedRecord record;
    const bool has_place = !file_->IsNull(row) && !offset_->IsNull(row) && !length_->IsNull(row);
    record.offset = has_place ? offset_->Value(row) : -1;
    record.length = has_place ? length_->Value(row) : 0;
    if (status_ != nullptr && !status_->IsNull(row) && status_->Value(row) > 0 && status_->Value(row) < 1000) {
      record.status = static_cast<int32_t>(status_->Value(row));
    }
    record.url = KeyOfText(Text(url_, row));
    record.digest = KeyOfText(PlainDigest(Text(digest_, row)));
    return record;
  }

 private:
  static arrow::Result<std::shared_ptr<arrow::Int64Array>> Numbers(const std::shared_ptr<arrow::Array>& column,
                                                                   const std::shared_ptr<arrow::DataType>& type) {
    std::shared_ptr<arrow::Array> numbers = column;
    if (column->type_id() != arrow::Type::INT64) {
      // What is too large for the type is no place in a file: it becomes a negative number.
      ARROW_ASSIGN_OR_RAISE(numbers, arrow::compute::Cast(*column, type, arrow::compute::CastOptions::Unsafe()));
    }
    return std::static_pointer_cast<arrow::Int64Array>(numbers);
  }

  static std::string_view Text(const std::shared_ptr<arrow::StringArray>& column, int64_t row) {
    return column == nullptr || column->IsNull(row) ? std::string_view() : column->GetView(row);
  }

  static bool HasAny(std::string_view all, const std::vector<std::string>& wanted) {
    while (!all.empty()) {
      const size_t comma = std::min(all.find(','), all.size());
      if (IsOneOf(all.substr(0, comma), wanted)) return true;
      all.remove_prefix(std::min(comma + 1, all.size()));
    }
    return false;
  }

  std::shared_ptr<arrow::StringArray> file_;
  std::shared_ptr<arrow::StringArray> url_;
  std::shared_ptr<arrow::StringArray> digest_;
  std::shared_ptr<arrow::StringArray> languages_;
  std::shared_ptr<arrow::StringArray> type_;
  std::shared_ptr<arrow::StringArray> detected_;
  std::shared_ptr<arrow::StringArray> host_;
  std::shared_ptr<arrow::StringArray> tld_;
  std::shared_ptr<arrow::Int64Array> offset_;
  std::shared_ptr<arrow::Int64Array> length_;
  std::shared_ptr<arrow::Int64Array> status_;
  std::shared_ptr<arrow::Int64Array> time_;
};

// Whether two neighbours of the order name one record. What one row does not know, another may.
bool NamesSame(const IndexedRecord& a, const IndexedRecord& b) {
  return a.file == b.file && a.offset == b.offset && a.length == b.length &&
         (a.url == b.url || a.url == 0 || b.url == 0);
}

bool ComesBefore(const IndexedRecord& a, const IndexedRecord& b) {
  const auto key = [](const IndexedRecord& record) {
    return std::tuple(record.file, record.offset, record.length, record.url, record.digest, record.status);
  };
  return key(a) < key(b);
}

// Makes `record` what is known of both, whatever the order is in which rows come. `other` comes behind it.
void Unite(const IndexedRecord& other, IndexedRecord* record) {
  if (record->url != other.url) {
    if (record->url == 0) *record = other;
    return;
  }
  const auto least = [](auto a, auto b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); };
  record->digest = least(record->digest, other.digest);
  record->status = least(record->status, other.status);
}

constexpr int64_t kInMemoryRecords = (int64_t{8} << 20) / static_cast<int64_t>(sizeof(IndexedRecord));

std::span<char> BytesOfRecords(std::span<IndexedRecord> records) {
  return {reinterpret_cast<char*>(records.data()), records.size_bytes()};
}

}  // namespace

uint64_t KeyOfText(std::string_view text) {
  return text.empty() ? 0 : std::max<uint64_t>(XXH3_64bits(text.data(), text.size()), 1);
}

nlohmann::ordered_json IndexRowCounts::ToJson() const {
  return {{"table_rows", table_rows}, {"skipped_rows", skipped}, {"rows", rows}, {"duplicates", duplicates}};
}

arrow::Status IndexedRecords::Read(int64_t first, std::span<IndexedRecord> records) const {
  if (on_disk_ != nullptr) {
    return on_disk_->Read(first * static_cast<int64_t>(sizeof(IndexedRecord)), BytesOfRecords(records));
  }
  std::copy_n(in_memory_.begin() + first, records.size(), records.begin());
  return arrow::Status::OK();
}

// Takes records from several threads, and puts them in order.
class IndexedRecordSorter {
 public:
  IndexedRecordSorter(const IndexMemory& memory, SpillSpace* space)
      : memory_(memory),
        space_(*space),
        most_(std::clamp<size_t>(static_cast<size_t>(memory.sorter) / sizeof(IndexedRecord), 1024, kMostRun)) {}

  // `names` are of the records' files.
  arrow::Status Add(std::span<IndexedRecord> records, std::span<const std::string_view> names) {
    const std::lock_guard lock(mutex_);
    run_.reserve(most_);
    for (size_t i = 0; i < records.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(records[i].file, NumberOf(names[i]));
      run_.push_back(records[i]);
      if (run_.size() >= most_) ARROW_RETURN_NOT_OK(EndRun());
    }
    rows_ += static_cast<int64_t>(records.size());
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<const IndexedRecords>> Finish(int64_t table_rows, int64_t skipped) {
    result_ = std::make_shared<IndexedRecords>();
    result_->files_.resize(names_.size());
    for (const auto& [name, number] : names_) result_->files_[number].name = name;
    names_.clear();
    if (runs_.empty() && static_cast<int64_t>(run_.size()) <= kInMemoryRecords) {
      SortRun();
      for (const IndexedRecord& record : run_) Count(record);
      run_.shrink_to_fit();
      result_->in_memory_ = std::move(run_);
    } else {
      ARROW_RETURN_NOT_OK(EndRun());
      std::vector<IndexedRecord>().swap(run_);
      ARROW_RETURN_NOT_OK(MergeRuns());
    }
    result_->counts_ = {table_rows, skipped, rows_, rows_ - written_};
    std::ranges::sort(result_->files_, {}, &IndexedRecords::File::name);
    return result_;
  }

 private:
  struct SortedRun {
    int64_t next = 0;  // records, in the temporary file
    int64_t end = 0;
    std::vector<IndexedRecord> block;
    size_t at = 0;
  };

  arrow::Result<uint32_t> NumberOf(std::string_view name) {
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
    constexpr int64_t kOfName = 512;  // the file that it is, its part, and where it is in tables of hashes
    names_bytes_ += static_cast<int64_t>(3 * name.size()) + kOfName;
    if (names_bytes_ > memory_.names || names_.size() >= UINT32_MAX) {
      return MemoryError("the index names more than ", names_.size(), " files, for which there are ",
                         memory_.names >> 20, "MiB; read it by parts of its tables, or raise --memory");
    }
    const auto number = static_cast<uint32_t>(names_.size());
    names_.emplace(name, number);
    return number;
  }

  void SortRun() {
    std::ranges::sort(run_, ComesBefore);
    size_t kept = 0;
    for (size_t i = 0; i < run_.size(); ++i) {
      if (kept > 0 && NamesSame(run_[kept - 1], run_[i])) {
        Unite(run_[i], &run_[kept - 1]);
      } else {
        run_[kept++] = run_[i];
      }
    }
    run_.resize(kept);
  }

  arrow::Status EndRun() {
    if (run_.empty()) return arrow::Status::OK();
    SortRun();
    // A run of duplicates is not worth writing.
    if (run_.size() < most_ / 2 && result_ == nullptr) return arrow::Status::OK();
    if (runs_file_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(runs_file_, space_.NewFile());
    }
    const int64_t offset = runs_file_->Extend(run_.size() * sizeof(IndexedRecord));
    ARROW_RETURN_NOT_OK(runs_file_->Write(offset, BytesOfRecords(run_)));
    space_.Count(static_cast<int64_t>(run_.size() * sizeof(IndexedRecord)));
    const int64_t first = offset / static_cast<int64_t>(sizeof(IndexedRecord));
    runs_.push_back({first, first + static_cast<int64_t>(run_.size()), {}, 0});
    run_.clear();
    return arrow::Status::OK();
  }

  // The record that a run is at, or null at its end.
  arrow::Result<const IndexedRecord*> At(SortedRun* run) {
    if (run->at == run->block.size()) {
      const int64_t count = std::min<int64_t>(run->end - run->next, static_cast<int64_t>(block_));
      if (count == 0) return nullptr;
      ARROW_RETURN_NOT_OK(CheckStop());
      run->block.resize(static_cast<size_t>(count));
      ARROW_RETURN_NOT_OK(
          runs_file_->Read(run->next * static_cast<int64_t>(sizeof(IndexedRecord)), BytesOfRecords(run->block)));
      run->next += count;
      run->at = 0;
    }
    return &run->block[run->at];
  }

  arrow::Status MergeRuns() {
    block_ = std::clamp<size_t>(most_ / (runs_.size() + 1), 64, size_t{1} << 14);
    ARROW_ASSIGN_OR_RAISE(result_->on_disk_, space_.NewFile());
    const auto is_later = [](const auto& a, const auto& b) { return ComesBefore(*b.first, *a.first); };
    std::priority_queue<std::pair<const IndexedRecord*, size_t>, std::vector<std::pair<const IndexedRecord*, size_t>>,
                        decltype(is_later)>
        queue(is_later);
    for (size_t i = 0; i < runs_.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const IndexedRecord* first, At(&runs_[i]));
      if (first != nullptr) queue.emplace(first, i);
    }
    std::optional<IndexedRecord> last;
    while (!queue.empty()) {
      const auto [record, number] = queue.top();
      queue.pop();
      if (last && NamesSame(*last, *record)) {
        Unite(*record, &*last);
      } else {
        if (last) ARROW_RETURN_NOT_OK(Append(*last));
        last = *record;
      }
      ++runs_[number].at;
      ARROW_ASSIGN_OR_RAISE(const IndexedRecord* next, At(&runs_[number]));
      if (next != nullptr) queue.emplace(next, number);
    }
    if (last) ARROW_RETURN_NOT_OK(Append(*last));
    ARROW_RETURN_NOT_OK(FlushMerged());
    runs_.clear();
    runs_file_.reset();
    return arrow::Status::OK();
  }

  arrow::Status Append(const IndexedRecord& record) {
    Count(record);
    merged_.push_back(record);
    return merged_.size() >= kMergedBlock ? FlushMerged() : arrow::Status::OK();
  }

  arrow::Status FlushMerged() {
    const int64_t offset = result_->on_disk_->Extend(merged_.size() * sizeof(IndexedRecord));
    ARROW_RETURN_NOT_OK(result_->on_disk_->Write(offset, BytesOfRecords(merged_)));
    space_.Count(static_cast<int64_t>(merged_.size() * sizeof(IndexedRecord)));
    merged_.clear();
    return arrow::Status::OK();
  }

  void Count(const IndexedRecord& record) {
    IndexedRecords::File& file = result_->files_[record.file];
    if (file.count++ == 0) file.first = written_;
    file.bytes += CountedLength(record);
    ++written_;
  }

  static constexpr size_t kMostRun = size_t{1} << 23;
  static constexpr size_t kMergedBlock = size_t{1} << 14;

  const IndexMemory& memory_;
  SpillSpace& space_;
  const size_t most_;  // records of a run
  std::mutex mutex_;
  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> names_;
  int64_t names_bytes_ = 0;
  std::vector<IndexedRecord> run_;
  std::vector<SortedRun> runs_;
  std::unique_ptr<SpillFile> runs_file_;
  std::vector<IndexedRecord> merged_;
  std::shared_ptr<IndexedRecords> result_;
  size_t block_ = 0;
  int64_t rows_ = 0;
  int64_t written_ = 0;
};

namespace {

struct IndexTable {
  std::shared_ptr<parquet::FileMetaData> metadata;
  IndexColumns columns;
  std::vector<int> places;
};

arrow::Result<IndexTable> OpenTable(const InputFile& file, const IndexQuery& query) {
  IndexTable table;
  ARROW_ASSIGN_OR_RAISE(table.metadata, ReadParquetMetadata(file));
  const auto find = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto schema, ParquetColumns(*table.metadata));
    ARROW_ASSIGN_OR_RAISE(table.columns, ColumnsFor(*schema, query));
    return arrow::Status::OK();
  };
  if (const arrow::Status status = find(); !status.ok()) {
    return status.WithMessage("--index: ", file.name, ": ", status.message());
  }
  for (const std::string& name : table.columns.names) table.places.push_back(PlaceInParquet(*table.metadata, name));
  return table;
}

}  // namespace

arrow::Result<std::shared_ptr<const IndexedRecords>> ReadIndexRows(const std::vector<InputFile>& tables,
                                                                   const IndexQuery& query, const IndexMemory& memory,
                                                                   int threads, SpillSpace* space) {
  IndexedRecordSorter sorter(memory, space);
  std::atomic<int64_t> table_rows = 0;
  std::atomic<int64_t> skipped = 0;
  const auto read_group = [&](const InputFile& file, const IndexTable& table, int group) -> arrow::Status {
    IndexBatch batch;
    std::vector<IndexedRecord> records;
    std::vector<std::string_view> names;
    const auto use = [&](const arrow::RecordBatch& rows) -> arrow::Status {
      ARROW_RETURN_NOT_OK(batch.Take(rows, table.columns));
      records.clear();
      names.clear();
      for (int64_t row = 0; row < rows.num_rows(); ++row) {
        if (!batch.Matches(row, query)) continue;
        records.push_back(batch.Record(row));
        names.push_back(batch.FileName(row));
      }
      return sorter.Add(records, names);
    };
    RowGroupOptions options;
    options.columns = table.places;
    options.memory = memory.reader;
    const arrow::Status status = ReadRowGroup(file, table.metadata, group, options, use);
    return status.ok() ? status : status.WithMessage("--index: ", file.name, ": ", status.message());
  };
  // Row groups of one table are shared out; of many tables, the tables are: each is opened once.
  const auto read_table = [&](const InputFile& file, int shared) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const IndexTable table, OpenTable(file, query));
    table_rows += table.metadata->num_rows();
    return ParallelFor(shared, static_cast<size_t>(table.metadata->num_row_groups()), [&](int, size_t i) {
      const int group = static_cast<int>(i);
      if (MayMatch(*table.metadata, group, query)) return read_group(file, table, group);
      skipped += table.metadata->RowGroup(group)->num_rows();
      return arrow::Status::OK();
    });
  };
  if (tables.size() >= static_cast<size_t>(threads)) {
    ARROW_RETURN_NOT_OK(ParallelFor(threads, tables.size(), [&](int, size_t i) { return read_table(tables[i], 1); }));
  } else {
    for (const InputFile& table : tables) ARROW_RETURN_NOT_OK(read_table(table, threads));
  }
  return sorter.Finish(table_rows, skipped);
}

}  // namespace uzushio
