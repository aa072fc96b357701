#include "datasets/parquet_file.h"

#include <arrow/table.h>
#include <arrow/util/byte_size.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "base/memory_error.h"
#include "base/stop.h"
#include "datasets/bounded_pool.h"
#include "datasets/dataset.h"
#include "storage/output_names.h"

namespace uzushio {

const std::vector<std::string_view> kParquetSuffixes = {".parquet", kOwnParquetEnding};
namespace {

constexpr int64_t kBatchBytes = int64_t{2} << 20;
// The first batch of a row group tells what rows are like.
constexpr int64_t kFirstRows = 64;
constexpr int64_t kGrowth = 4;

// Bytes that are read of a column at once: few requests to an object store, and little for tables of many columns.
int64_t ReadAhead(size_t columns) {
  constexpr int64_t kLeast = int64_t{64} << 10;
  constexpr int64_t kMost = int64_t{1} << 20;
  return std::clamp<int64_t>(4 * kMost / static_cast<int64_t>(std::max<size_t>(columns, 1)), kLeast, kMost);
}

// The columns of a row group, read side by side.
class RowGroup {
 public:
  RowGroup(const InputFile& file, const std::shared_ptr<parquet::FileMetaData>& metadata, int group,
           const RowGroupOptions& options)
      : file_(file), metadata_(metadata->Subset({group})), options_(options), rows_(metadata_->num_rows()) {}

  // Begins anew, behind the first `rows`.
  arrow::Status Open(int64_t rows, int64_t at_once) {
    columns_.clear();
    reader_.reset();
    pool_ = BoundedPool::Make();
    if (options_.memory.decoding > 0) pool_->set_bound(options_.memory.decoding);
    own_ = handed_on_ = next_ = 0;
    const std::vector<int> fields = Fields();
    ARROW_ASSIGN_OR_RAISE(auto stream, file_.filesystem->OpenInputFile(file_.path));
    parquet::ReaderProperties properties(pool_.get());
    properties.enable_buffered_stream();
    properties.set_page_checksum_verification(true);  // of pages that have one
    properties.set_buffer_size(ReadAhead(fields.size()));
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(std::move(stream), properties, metadata_));
    parquet::ArrowReaderProperties arrow_properties;
    arrow_properties.set_pre_buffer(false);
    ARROW_RETURN_NOT_OK(builder.memory_pool(pool_.get())->properties(arrow_properties)->Build(&reader_));
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(reader_->GetSchema(&schema));
    arrow::FieldVector read;
    for (const int field : fields) {
      read.push_back(schema->field(field));
      ARROW_RETURN_NOT_OK(reader_->GetColumn(field, &columns_.emplace_back()));
    }
    schema_ = arrow::schema(read);
    own_ = pool_->bytes_allocated();
    while (next_ < rows) {
      ARROW_RETURN_NOT_OK(CheckStop());
      ARROW_RETURN_NOT_OK(Next(std::min(at_once, rows - next_)).status());
    }
    return arrow::Status::OK();
  }

  // The next rows.
  arrow::Result<std::shared_ptr<arrow::Table>> Next(int64_t rows) {
    handed_on_ = std::max<int64_t>(0, pool_->bytes_allocated() - own_);
    if (options_.memory.decoding > 0) pool_->set_bound(handed_on_ + options_.memory.decoding);
    arrow::ChunkedArrayVector columns;
    arrow::FieldVector fields;
    for (size_t i = 0; i < columns_.size(); ++i) {
      std::shared_ptr<arrow::ChunkedArray>& column = columns.emplace_back();
      ARROW_RETURN_NOT_OK(columns_[i]->NextBatch(rows, &column));
      if (column->length() != rows) return arrow::Status::IOError("a column has too few rows");
      fields.push_back(schema_->field(static_cast<int>(i))->WithType(column->type()));
    }
    next_ += rows;
    auto table = arrow::Table::Make(arrow::schema(fields), columns, rows);
    own_ = pool_->bytes_allocated() - handed_on_ - arrow::util::TotalBufferSize(*table);
    return table;
  }

  int64_t rows() const { return rows_; }
  int64_t next() const { return next_; }
  bool refused() const { return pool_->refused() > 0; }
  int64_t wanted() const { return pool_->refused() - handed_on_; }

 private:
  // Places of the wanted columns among the schema's.
  std::vector<int> Fields() const {
    const parquet::SchemaDescriptor& schema = *metadata_->schema();
    std::vector<int> fields;
    if (options_.columns.empty()) {
      for (int i = 0; i < schema.group_node()->field_count(); ++i) fields.push_back(i);
    }
    for (const int column : options_.columns) {
      fields.push_back(schema.group_node()->FieldIndex(*schema.GetColumnRoot(column)));
    }
    return fields;
  }

  const InputFile& file_;
  std::shared_ptr<parquet::FileMetaData> metadata_;  // of this row group alone
  const RowGroupOptions& options_;
  const int64_t rows_;
  BoundedPool::Ptr pool_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::vector<std::unique_ptr<parquet::arrow::ColumnReader>> columns_;
  std::shared_ptr<arrow::Schema> schema_;
  int64_t next_ = 0;
  int64_t own_ = 0;        // bytes of the pool that the columns hold between batches
  int64_t handed_on_ = 0;  // and those of earlier batches that somebody keeps
};

arrow::Status Refuse(const RowGroupOptions& options, int group, const char* what, int64_t wanted, int64_t bound) {
  return MemoryError("row group ", group, ": ", what, " takes at least ", (wanted >> 20) + 1, "MiB, and a thread has ",
                     bound >> 20, "MiB for it; --memory ", (options.memory.WholeFor(wanted, bound) >> 20) + 1,
                     "MiB, or fewer --threads, would do, or smaller row groups");
}

// Hands on a table in batches of some MiB.
arrow::Status UseRows(const arrow::Table& table, const RowGroupOptions& options, int group,
                      const std::function<arrow::Status(const arrow::RecordBatch&)>& use) {
  const int64_t bytes = arrow::util::TotalBufferSize(table);
  arrow::TableBatchReader batches(table);
  if (bytes > 2 * kBatchBytes) batches.set_chunksize(std::max<int64_t>(1, table.num_rows() * kBatchBytes / bytes));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches.ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    if (options.memory.record > 0 && bytes > options.memory.record) {
      ARROW_ASSIGN_OR_RAISE(const int64_t size, arrow::util::ReferencedBufferSize(*batch));
      if (size > options.memory.record && batch->num_rows() == 1) {
        return Refuse(options, group, "a record", size, options.memory.record);
      }
    }
    ARROW_RETURN_NOT_OK(use(*batch));
  }
}

arrow::Status ReadRows(RowGroup* rows, const RowGroupOptions& options, int group,
                       const std::function<arrow::Status(const arrow::RecordBatch&)>& use) {
  int64_t most = std::max<int64_t>(1, options.batch_rows);
  int64_t count = std::min(most, kFirstRows);
  const arrow::Status opened = rows->Open(0, count);
  if (rows->refused()) return Refuse(options, group, "reading it", rows->wanted(), options.memory.decoding);
  ARROW_RETURN_NOT_OK(opened);
  while (rows->next() < rows->rows()) {
    ARROW_RETURN_NOT_OK(CheckStop());
    const int64_t before = rows->next();
    const int64_t wanted = std::min(count, rows->rows() - before);
    auto table = rows->Next(wanted);
    if (!table.ok() && rows->refused() && wanted > 1) {  // some rows are far larger than those before
      most = count = std::max<int64_t>(1, wanted / kGrowth);
      const arrow::Status again = rows->Open(before, count);
      if (again.ok()) continue;
      if (!rows->refused()) return again;
    }
    if (rows->refused()) return Refuse(options, group, "reading it", rows->wanted(), options.memory.decoding);
    ARROW_RETURN_NOT_OK(table.status());
    const int64_t bytes = std::max<int64_t>(1, arrow::util::TotalBufferSize(**table));
    ARROW_RETURN_NOT_OK(UseRows(**table, options, group, use));
    count = std::clamp<int64_t>(wanted * kBatchBytes / bytes, 1, std::min(most, count * kGrowth));
  }
  return arrow::Status::OK();
}

// Some stores have a file before its content: of an output that is not complete, it may be empty.
arrow::Status NotReadable(const InputFile& file, bool is_empty, const char* error) {
  const std::string message = file.name + ": no readable Parquet file: " + error;
  if (is_empty && file.manifest == nullptr) {
    const auto output = ManifestCache().IncompleteAround(file);
    if (output.ok() && !output->empty()) return NotComplete(*output, ": " + message);
  }
  return arrow::Status::IOError(message);
}

}  // namespace

arrow::Result<std::shared_ptr<parquet::FileMetaData>> ReadParquetMetadata(const InputFile& file) {
  ARROW_ASSIGN_OR_RAISE(auto stream, file.filesystem->OpenInputFile(file.path));
  try {
    return parquet::ReadMetaData(stream);
  } catch (const std::exception& error) {
    const auto bytes = stream->GetSize();
    return NotReadable(file, bytes.ok() && *bytes == 0, error.what());
  }
}

arrow::Result<std::shared_ptr<arrow::Schema>> ParquetColumns(const parquet::FileMetaData& metadata) {
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(parquet::arrow::FromParquetSchema(metadata.schema(), parquet::ArrowReaderProperties(),
                                                        metadata.key_value_metadata(), &schema));
  return schema;
}

int PlaceInParquet(const parquet::FileMetaData& metadata, const std::string& name) {
  for (int i = 0; i < metadata.num_columns(); ++i) {
    const auto path = metadata.schema()->Column(i)->path()->ToDotVector();
    if (path.size() == 1 && path[0] == name) return i;
  }
  return -1;
}

arrow::Status ReadRowGroup(const InputFile& file, const std::shared_ptr<parquet::FileMetaData>& metadata, int group,
                           const RowGroupOptions& options,
                           const std::function<arrow::Status(const arrow::RecordBatch&)>& use) {
  try {
    RowGroup rows(file, metadata, group, options);
    return ReadRows(&rows, options, group, use);
  } catch (const std::exception& error) {
    return arrow::Status::IOError("row group ", group, ": ", error.what());
  }
}

}  // namespace uzushio
