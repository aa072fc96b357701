#include "datasets/row_sorter.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/io_util.h>
#include <unistd.h>

#include <algorithm>
#include <queue>

#include "base/memory_plan.h"
#include "storage/spill.h"

namespace uzushio {
namespace {

constexpr const char* kKey = "\x01key";
constexpr int64_t kRunBatchBytes = int64_t{256} << 10;
// Arrays of texts hold 2 GiB at most, and sorting a run makes one array of each of its columns.
constexpr int64_t kMostRunBytes = int64_t{1} << 30;
// Runs of about one size that are merged into one. Each row is written again for every power of it that the runs reach.
constexpr size_t kFanIn = 32;

// Rows of a batch of some kRunBatchBytes.
int64_t RunBatchRows(const arrow::Table& table) {
  const int64_t bytes = std::max<int64_t>(1, arrow::util::TotalBufferSize(table));
  return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(table.num_rows()) *
                                                   static_cast<double>(kRunBatchBytes) / static_cast<double>(bytes)));
}

// Makes batches of some kRunBatchBytes of short slices.
class RunBatches {
 public:
  explicit RunBatches(std::function<arrow::Status(const arrow::RecordBatch&)> use) : use_(std::move(use)) {}

  arrow::Status Add(const arrow::RecordBatch& rows) {
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(rows));
    slices_.push_back(rows.Slice(0));
    bytes_ += bytes;
    return bytes_ >= kRunBatchBytes ? Flush() : arrow::Status::OK();
  }
  arrow::Status Flush() {
    if (slices_.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto batch, arrow::ConcatenateRecordBatches(slices_));
    slices_.clear();
    bytes_ = 0;
    return use_(*batch);
  }

 private:
  std::function<arrow::Status(const arrow::RecordBatch&)> use_;
  arrow::RecordBatchVector slices_;
  int64_t bytes_ = 0;
};

double KeyOf(const arrow::RecordBatch& batch, int64_t row) {
  return static_cast<const arrow::DoubleArray&>(*batch.column(0)).Value(row);
}

}  // namespace

// A sorted run on disk, read from its beginning.
class RowSorter::Run {
 public:
  // A run of what `write` hands on, in its order. `level`: how often its rows were merged.
  static arrow::Result<std::unique_ptr<Run>> Write(const std::shared_ptr<arrow::Schema>& schema, int level,
                                                   const std::filesystem::path& folder,
                                                   const std::function<arrow::Status(const Use&)>& write) {
    std::unique_ptr<Run> run(new Run());
    run->level_ = level;
    ARROW_ASSIGN_OR_RAISE(const int descriptor, OpenUnnamed(folder));
    const int copy = ::dup(descriptor);
    const arrow::Status written = WriteFile(schema, descriptor, write);
    if (!written.ok()) {
      ::close(copy);
      const int error = arrow::internal::ErrnoFromStatus(written);
      return error == 0 ? written : SpillError(folder, "write", error);
    }
    ARROW_ASSIGN_OR_RAISE(run->file_, arrow::io::ReadableFile::Open(copy));
    return run;
  }

  int level() const { return level_; }

  // Whether there is a row; then `batch()` and `row()` say which.
  arrow::Result<bool> Settle() {
    if (reader_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(reader_, arrow::ipc::RecordBatchFileReader::Open(file_.get()));
    }
    while (batch_ == nullptr || row_ >= batch_->num_rows()) {
      if (next_ == reader_->num_record_batches()) return false;
      ARROW_ASSIGN_OR_RAISE(batch_, reader_->ReadRecordBatch(next_++));
      row_ = 0;
    }
    return true;
  }
  const arrow::RecordBatch& batch() const { return *batch_; }
  int64_t row() const { return row_; }
  double key() const { return KeyOf(*batch_, row_); }
  // The rows from here on that may be used before one with this key of a later run.
  int64_t RowsUpTo(double key, bool equal_too) const {
    int64_t end = row_ + 1;
    while (end < batch_->num_rows() && (KeyOf(*batch_, end) < key || (equal_too && KeyOf(*batch_, end) == key))) ++end;
    return end - row_;
  }
  void Advance(int64_t rows) { row_ += rows; }

 private:
  Run() = default;

  // Closes the descriptor.
  static arrow::Status WriteFile(const std::shared_ptr<arrow::Schema>& schema, int descriptor,
                                 const std::function<arrow::Status(const Use&)>& write) {
    ARROW_ASSIGN_OR_RAISE(const auto out, arrow::io::FileOutputStream::Open(descriptor));
    ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(out, schema));
    ARROW_RETURN_NOT_OK(write([&](const arrow::RecordBatch& batch) { return writer->WriteRecordBatch(batch); }));
    ARROW_RETURN_NOT_OK(writer->Close());
    return out->Close();
  }

  int level_ = 0;
  std::shared_ptr<arrow::io::ReadableFile> file_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  int next_ = 0;
  int64_t row_ = 0;
};

RowSorter::RowSorter(const std::shared_ptr<arrow::Schema>& schema, int64_t memory, std::filesystem::path folder)
    : memory_(memory), folder_(std::move(folder)) {
  arrow::FieldVector fields = {arrow::field(kKey, arrow::float64(), false)};
  fields.insert(fields.end(), schema->fields().begin(), schema->fields().end());
  schema_ = arrow::schema(fields);
}
RowSorter::~RowSorter() = default;

arrow::Status RowSorter::Add(const std::shared_ptr<arrow::RecordBatch>& batch, std::span<const double> keys) {
  if (keys.empty()) return arrow::Status::OK();
  const int64_t most = std::min(SorterRows(memory_), kMostRunBytes);
  const int64_t bytes = arrow::util::TotalBufferSize(*batch);
  if (kept_bytes_ + bytes > most) ARROW_RETURN_NOT_OK(EndRun());
  arrow::DoubleBuilder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(keys.data(), static_cast<int64_t>(keys.size())));
  ARROW_ASSIGN_OR_RAISE(const auto column, builder.Finish());
  std::vector<std::shared_ptr<arrow::Array>> columns = {column};
  columns.insert(columns.end(), batch->columns().begin(), batch->columns().end());
  kept_.push_back(arrow::RecordBatch::Make(schema_, batch->num_rows(), columns));
  kept_bytes_ += bytes;
  return kept_bytes_ >= most ? EndRun() : arrow::Status::OK();
}

arrow::Status RowSorter::EndRun() {
  if (kept_.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(schema_, kept_));
  kept_.clear();
  kept_bytes_ = 0;
  ARROW_ASSIGN_OR_RAISE(table, table->CombineChunks());
  // Stable, so that equal keys stay in order.
  const arrow::compute::SortOptions options({arrow::compute::SortKey(0)});
  ARROW_ASSIGN_OR_RAISE(const auto order, arrow::compute::SortIndices(arrow::Datum(table), options));
  ARROW_ASSIGN_OR_RAISE(const auto sorted, arrow::compute::Take(table, order));
  table.reset();
  ARROW_ASSIGN_OR_RAISE(auto run, Run::Write(schema_, 0, folder_, [&](const Use& use) {
                          arrow::TableBatchReader batches(*sorted.table());
                          batches.set_chunksize(RunBatchRows(*sorted.table()));
                          while (true) {
                            ARROW_ASSIGN_OR_RAISE(const auto batch, batches.Next());
                            if (batch == nullptr) return arrow::Status::OK();
                            ARROW_RETURN_NOT_OK(use(*batch));
                          }
                        }));
  runs_.push_back(std::move(run));
  const auto is_last_of_level = [this] {
    return runs_.size() >= kFanIn && runs_[runs_.size() - kFanIn]->level() == runs_.back()->level();
  };
  while (is_last_of_level()) ARROW_RETURN_NOT_OK(MergeLast(kFanIn));
  return arrow::Status::OK();
}

// Makes one run of the last ones.
arrow::Status RowSorter::MergeLast(size_t runs) {
  const size_t first = runs_.size() - runs;
  const int level = runs_[first]->level() + 1;
  ARROW_ASSIGN_OR_RAISE(
      auto run, Run::Write(schema_, level, folder_, [&](const Use& use) {
        RunBatches batches(use);
        ARROW_RETURN_NOT_OK(Merge(first, [&](const arrow::RecordBatch& rows) { return batches.Add(rows); }));
        return batches.Flush();
      }));
  runs_.resize(first);
  runs_.push_back(std::move(run));
  return arrow::Status::OK();
}

arrow::Status RowSorter::Finish(const Use& use) {
  ARROW_RETURN_NOT_OK(EndRun());
  while (runs_.size() > kFanIn) ARROW_RETURN_NOT_OK(MergeLast(std::min(kFanIn, runs_.size() - kFanIn + 1)));
  return Merge(0, [&use](const arrow::RecordBatch& rows) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto without_key, rows.RemoveColumn(0));
    return use(*without_key);
  });
}

// Hands on the rows of the runs from `first` on, in order.
arrow::Status RowSorter::Merge(size_t first, const Use& use) {
  // The least key first, of equal ones that of the earliest run.
  using Entry = std::pair<double, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto push = [&](size_t i) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const bool more, runs_[i]->Settle());
    if (more) queue.emplace(runs_[i]->key(), i);
    return arrow::Status::OK();
  };
  for (size_t i = first; i < runs_.size(); ++i) ARROW_RETURN_NOT_OK(push(i));
  while (!queue.empty()) {
    const size_t i = queue.top().second;
    queue.pop();
    Run& run = *runs_[i];
    const int64_t rows =
        queue.empty() ? run.batch().num_rows() - run.row() : run.RowsUpTo(queue.top().first, i < queue.top().second);
    ARROW_RETURN_NOT_OK(use(*run.batch().Slice(run.row(), rows)));
    run.Advance(rows);
    ARROW_RETURN_NOT_OK(push(i));
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
