#include "datasets/table_writer.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/table.h>

#include "datasets/file_properties.h"

namespace uzushio {
namespace {

constexpr int64_t kRowGroupRows = int64_t{256} << 10;
constexpr size_t kRowGroupBytes = size_t{16} << 20;
constexpr size_t kMostText = size_t{1} << 30;

std::shared_ptr<parquet::WriterProperties> TableProperties() {
  parquet::WriterProperties::Builder builder = FileProperties();
  builder.disable_statistics("text");
  return builder.build();
}

}  // namespace

arrow::Result<std::unique_ptr<TableWriter>> TableWriter::Create(const std::filesystem::path& path,
                                                                std::shared_ptr<arrow::Schema> schema) {
  std::unique_ptr<TableWriter> writer(new TableWriter());
  ARROW_ASSIGN_OR_RAISE(writer->file_, HashedFile::Create(path));
  ARROW_ASSIGN_OR_RAISE(writer->writer_, parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(),
                                                                          writer->file_, TableProperties()));
  writer->columns_.resize(static_cast<size_t>(schema->num_fields()));
  for (size_t i = 0; i < writer->columns_.size(); ++i) {
    Column& column = writer->columns_[i];
    const arrow::Type::type type = schema->field(static_cast<int>(i))->type()->id();
    if (type == arrow::Type::INT64) column.values = std::vector<int64_t>();
    if (type == arrow::Type::DOUBLE) column.values = std::vector<double>();
    if (type == arrow::Type::STRING) {
      column.values = std::string();
      column.offsets = {0};
    }
  }
  writer->schema_ = std::move(schema);
  return writer;
}

void TableWriter::Text(std::string_view value) {
  Column& column = columns_[next_++];
  auto& data = std::get<std::string>(column.values);
  if (value.size() > kMostText) {  // offsets are of 32 bits
    too_long_ = true;
    value = {};
  }
  data += value;
  column.offsets.push_back(static_cast<int32_t>(data.size()));
  buffered_bytes_ += value.size();
}

arrow::Status TableWriter::EndRow() {
  next_ = 0;
  ++rows_;
  ++buffered_rows_;
  if (too_long_) return arrow::Status::CapacityError("a text of more than ", kMostText >> 20, "MiB can't be written");
  return buffered_rows_ >= kRowGroupRows || buffered_bytes_ >= kRowGroupBytes ? Flush() : arrow::Status::OK();
}

arrow::Status TableWriter::Flush() {
  if (buffered_rows_ == 0) return arrow::Status::OK();
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (Column& column : columns_) {
    if (const auto* numbers = std::get_if<std::vector<int32_t>>(&column.values)) {
      arrays.push_back(std::make_shared<arrow::Int32Array>(buffered_rows_, arrow::Buffer::Wrap(*numbers)));
    } else if (const auto* longs = std::get_if<std::vector<int64_t>>(&column.values)) {
      arrays.push_back(std::make_shared<arrow::Int64Array>(buffered_rows_, arrow::Buffer::Wrap(*longs)));
    } else if (const auto* doubles = std::get_if<std::vector<double>>(&column.values)) {
      arrays.push_back(std::make_shared<arrow::DoubleArray>(buffered_rows_, arrow::Buffer::Wrap(*doubles)));
    } else {
      arrays.push_back(std::make_shared<arrow::StringArray>(
          buffered_rows_, arrow::Buffer::Wrap(column.offsets),
          std::make_shared<arrow::Buffer>(std::string_view(std::get<std::string>(column.values)))));
    }
  }
  ARROW_RETURN_NOT_OK(writer_->WriteTable(*arrow::Table::Make(schema_, arrays, buffered_rows_), buffered_rows_));
  for (Column& column : columns_) {
    std::visit([](auto& values) { values.clear(); }, column.values);
    if (!column.offsets.empty()) column.offsets.resize(1);
  }
  buffered_rows_ = 0;
  buffered_bytes_ = 0;
  return arrow::Status::OK();
}

arrow::Status TableWriter::Finish() {
  ARROW_RETURN_NOT_OK(Flush());
  ARROW_RETURN_NOT_OK(writer_->Close());
  return file_->Close();
}

}  // namespace uzushio
