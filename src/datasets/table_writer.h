// A Parquet file of numbers and texts, written row by row.
#pragma once

#include <arrow/result.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "storage/hashed_file.h"

namespace uzushio {

// Collects rows column by column and writes a row group when there are many. Row groups depend on the rows alone.
class TableWriter {
 public:
  // The fields are of type int32, int64, double or utf8, without nulls. The file is made at once, so that there is one
  // even when there are no rows.
  static arrow::Result<std::unique_ptr<TableWriter>> Create(const std::filesystem::path& path,
                                                            std::shared_ptr<arrow::Schema> schema);

  // The values of a row in order of the fields; then EndRow.
  void Int32(int32_t value) { std::get<std::vector<int32_t>>(columns_[next_++].values).push_back(value); }
  void Int64(int64_t value) { std::get<std::vector<int64_t>>(columns_[next_++].values).push_back(value); }
  void Double(double value) { std::get<std::vector<double>>(columns_[next_++].values).push_back(value); }
  void Text(std::string_view value);  // at most 1 GiB: EndRow says so
  arrow::Status EndRow();

  // Completes and syncs the file.
  arrow::Status Finish();
  int64_t rows() const { return rows_; }
  const HashedFile& file() const { return *file_; }

 private:
  struct Column {
    std::variant<std::vector<int32_t>, std::vector<int64_t>, std::vector<double>, std::string> values;
    std::vector<int32_t> offsets;  // of texts
  };
  TableWriter() = default;
  arrow::Status Flush();

  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<HashedFile> file_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  std::vector<Column> columns_;
  size_t next_ = 0;
  int64_t buffered_rows_ = 0;
  size_t buffered_bytes_ = 0;
  int64_t rows_ = 0;
  bool too_long_ = false;
};

}  // namespace uzushio
