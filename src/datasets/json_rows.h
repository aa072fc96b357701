// Rows of JSON objects as columns.
#pragma once

#include <arrow/array/builder_base.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text_hash.h"
#include "datasets/json_object.h"

namespace uzushio {

// The columns of objects: one for each key, in the order in which keys come up first, and as many as an object may
// have.
class JsonColumns {
 public:
  void Add(const JsonObject& object);
  // Numbers, booleans, texts, and JSON (datasets/columns.h) where the first value is an array or an object. Integers
  // and other numbers are numbers; a key without any value is one of texts.
  std::shared_ptr<arrow::Schema> Schema() const;

 private:
  struct Key {
    std::string name;
    JsonField::Kind kind = JsonField::Kind::kNull;
    size_t seen = 0;  // in which object last
  };

  size_t objects_ = 0;
  std::vector<Key> keys_;
  std::unordered_map<std::string, size_t, TextHash, std::equal_to<>> places_;
};

// Collects rows to batches.
class JsonRows {
 public:
  // Where there is a `language`, it is the last column's, in all rows; a key of that name says the same or nothing.
  JsonRows(std::shared_ptr<arrow::Schema> schema, const std::string& text_column, std::optional<std::string> language);

  // Adds the object, or says why it is no row: each key has to be a column whose type the value is of, and there has to
  // be a text.
  arrow::Result<const char*> Append(const JsonObject& object);
  // Whether a batch is to be ended: at some MiB, or many rows.
  bool full() const;
  // The batch, or null where there are no rows.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  arrow::Status MakeBuilders();
  // Puts the values in their places.
  const char* Place(const JsonObject& object);
  arrow::Status AppendValue(const JsonField& value, arrow::ArrayBuilder* builder);

  std::shared_ptr<arrow::Schema> schema_;
  std::optional<std::string> language_;
  int keys_ = 0;                          // columns that are keys
  size_t text_ = 0;                       // the one of texts
  std::vector<const JsonField*> values_;  // of the row, by column
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  int64_t bytes_ = 0;
};

}  // namespace uzushio
