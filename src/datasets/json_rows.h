// Rows of JSON objects as columns.
#pragma once

#include <arrow/array/builder_base.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace uzushio {

// A column for each key: numbers, booleans, and texts for all else.
std::shared_ptr<arrow::Schema> SchemaOfJson(const nlohmann::ordered_json& object);

// Collects rows to batches.
class JsonRows {
 public:
  // Where there is a `language`, it is the last column's, in all rows; a key of that name says the same or nothing.
  JsonRows(std::shared_ptr<arrow::Schema> schema, std::string text_column, std::optional<std::string> language);

  // Why the value is no row, or null: each key has to be a column whose type the value is of, and there has to be a
  // text.
  const char* Misfit(const nlohmann::json& json) const;
  arrow::Status Append(const nlohmann::json& json);
  // Whether a batch is to be ended: at some MiB, or many rows.
  bool full() const;
  // The batch, or null where there are no rows.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  arrow::Status MakeBuilders();
  arrow::Status AppendValue(const nlohmann::json& value, arrow::ArrayBuilder* builder);

  std::shared_ptr<arrow::Schema> schema_;
  std::string text_column_;
  std::optional<std::string> language_;
  int keys_ = 0;  // columns that are keys
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  int64_t bytes_ = 0;
};

}  // namespace uzushio
