#include "statistics/tasks/table_batches.h"

#include <arrow/array.h>
#include <arrow/builder.h>

namespace uzushio {
namespace {

constexpr size_t kTableBatchBytes = size_t{4} << 20;

arrow::Status AppendNumber(int64_t number, arrow::ArrayBuilder* column) {
  if (column->type()->id() == arrow::Type::INT32) {
    return static_cast<arrow::Int32Builder*>(column)->Append(static_cast<int32_t>(number));
  }
  return static_cast<arrow::Int64Builder*>(column)->Append(number);
}

}  // namespace

arrow::Status TableBatches::Add(std::initializer_list<int64_t> numbers, std::optional<std::string_view> text) {
  if (columns_.empty()) {
    for (const auto& field : schema_->fields()) {
      ARROW_ASSIGN_OR_RAISE(columns_.emplace_back(), arrow::MakeBuilder(field->type()));
    }
  }
  auto column = columns_.begin();
  for (const int64_t number : numbers) ARROW_RETURN_NOT_OK(AppendNumber(number, (column++)->get()));
  if (text) ARROW_RETURN_NOT_OK(static_cast<arrow::StringBuilder*>(column->get())->Append(*text));
  ++rows_;
  bytes_ += 8 * numbers.size() + (text ? text->size() : 0);
  return bytes_ >= kTableBatchBytes ? Flush() : arrow::Status::OK();
}

arrow::Status TableBatches::Flush() {
  if (rows_ == 0) return arrow::Status::OK();
  arrow::ArrayVector arrays;
  for (const auto& column : columns_) {
    ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(), column->Finish());
  }
  batches_.push_back(arrow::RecordBatch::Make(schema_, rows_, std::move(arrays)));
  rows_ = 0;
  bytes_ = 0;
  return arrow::Status::OK();
}

std::shared_ptr<arrow::RecordBatch> TableBatches::Next() {
  if (batches_.empty()) return nullptr;
  auto batch = std::move(batches_.front());
  batches_.pop_front();
  return batch;
}

}  // namespace uzushio
