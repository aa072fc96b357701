// Batches of rows of numbers and at most one text.
#pragma once

#include <arrow/array/builder_base.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace uzushio {

class TableBatches {
 public:
  // Columns of int32 and int64; the text, where there is one, is the last.
  explicit TableBatches(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}

  arrow::Status Add(std::initializer_list<int64_t> numbers, std::optional<std::string_view> text = std::nullopt);
  // Ends a batch.
  arrow::Status Flush();
  // The next batch that has ended, of some MiB, or null.
  std::shared_ptr<arrow::RecordBatch> Next();

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns_;
  int64_t rows_ = 0;
  size_t bytes_ = 0;
  std::deque<std::shared_ptr<arrow::RecordBatch>> batches_;
};

}  // namespace uzushio
