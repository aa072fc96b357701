#include "io/parquet_file.h"

#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <exception>

namespace uzushio {

arrow::Result<std::shared_ptr<parquet::FileMetaData>> ReadParquetMetadata(const InputFile& file) {
  ARROW_ASSIGN_OR_RAISE(auto stream, file.filesystem->OpenInputFile(file.path));
  try {
    return parquet::ReadMetaData(stream);
  } catch (const std::exception& error) {
    return arrow::Status::IOError(file.name, ": no readable Parquet file: ", error.what());
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
                           const std::vector<int>& columns, int64_t batch_rows,
                           const std::function<arrow::Status(const arrow::RecordBatch&)>& use) {
  ARROW_ASSIGN_OR_RAISE(auto stream, file.filesystem->OpenInputFile(file.path));
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Open(std::move(stream), parquet::default_reader_properties(), metadata));
  parquet::ArrowReaderProperties properties;
  properties.set_batch_size(batch_rows);
  properties.set_pre_buffer(false);
  std::unique_ptr<parquet::arrow::FileReader> reader;
  ARROW_RETURN_NOT_OK(builder.properties(properties)->Build(&reader));
  std::unique_ptr<arrow::RecordBatchReader> batches;
  if (columns.empty()) {
    ARROW_ASSIGN_OR_RAISE(batches, reader->GetRecordBatchReader({group}));
  } else {
    ARROW_ASSIGN_OR_RAISE(batches, reader->GetRecordBatchReader({group}, columns));
  }
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(use(*batch));
  }
}

}  // namespace uzushio
