#include "datasets/json_rows.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include <algorithm>
#include <utility>

#include "datasets/columns.h"
#include "datasets/split.h"

namespace uzushio {
namespace {

using Kind = JsonField::Kind;

bool IsNumber(Kind kind) { return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kDouble; }

// What a column is of that has values of both.
Kind Together(Kind before, Kind kind) {
  if (before == Kind::kNull) return kind;
  if (before == kind || !IsNumber(before) || !IsNumber(kind)) return before;
  return before == Kind::kDouble || kind == Kind::kDouble ? Kind::kDouble : Kind::kUint;
}

std::shared_ptr<arrow::Field> FieldOf(const std::string& name, Kind kind) {
  switch (kind) {
    case Kind::kInt:
      return arrow::field(name, arrow::int64());
    case Kind::kUint:
      return arrow::field(name, arrow::uint64());
    case Kind::kDouble:
      return arrow::field(name, arrow::float64());
    case Kind::kBool:
      return arrow::field(name, arrow::boolean());
    case Kind::kNested:
      return FieldOfJson(name);
    default:
      return arrow::field(name, arrow::utf8());
  }
}

bool IsOf(const arrow::Field& field, const JsonField& value) {
  const Kind kind = value.kind;
  switch (field.type()->id()) {
    case arrow::Type::INT64:
      return kind == Kind::kInt;
    case arrow::Type::UINT64:
      return kind == Kind::kUint || (kind == Kind::kInt && value.integer >= 0);
    case arrow::Type::DOUBLE:
      return IsNumber(kind);
    case arrow::Type::BOOL:
      return kind == Kind::kBool;
    case arrow::Type::STRING:
      return kind == (IsJson(field) ? Kind::kNested : Kind::kText);
    default:
      return false;  // of Parquet files beside
  }
}

}  // namespace

void JsonColumns::Add(const JsonObject& object) {
  for (const JsonField& field : object.fields()) {
    if (keys_.size() == JsonObject::kMostKeys) break;
    if (places_.try_emplace(std::string(field.key), keys_.size()).second) keys_.push_back({std::string(field.key)});
  }
  ++objects_;
  for (auto field = object.fields().rbegin(); field != object.fields().rend(); ++field) {
    const auto place = places_.find(field->key);
    if (place == places_.end()) continue;
    Key& key = keys_[place->second];
    if (std::exchange(key.seen, objects_) == objects_) continue;  // the last of equal keys counts
    key.kind = Together(key.kind, field->kind);
  }
}

std::shared_ptr<arrow::Schema> JsonColumns::Schema() const {
  arrow::FieldVector fields;
  for (const Key& key : keys_) fields.push_back(FieldOf(key.name, key.kind));
  return arrow::schema(fields);
}

JsonRows::JsonRows(std::shared_ptr<arrow::Schema> schema, const std::string& text_column,
                   std::optional<std::string> language)
    : schema_(std::move(schema)),
      language_(std::move(language)),
      keys_(schema_->num_fields() - (language_ ? 1 : 0)),
      text_(static_cast<size_t>(schema_->GetFieldIndex(text_column))),
      values_(static_cast<size_t>(schema_->num_fields())) {}

const char* JsonRows::Place(const JsonObject& object) {
  std::ranges::fill(values_, nullptr);
  int next = 0;  // keys mostly come in the columns' order
  for (const JsonField& field : object.fields()) {
    const bool in_order = next < keys_ && schema_->field(next)->name() == field.key;
    const int column = in_order ? next : schema_->GetFieldIndex(field.key);
    if (column < 0) return "other-columns";
    values_[static_cast<size_t>(column)] = &field;
    next = column + 1;
  }
  for (int i = 0; i < schema_->num_fields(); ++i) {
    const JsonField* value = values_[static_cast<size_t>(i)];
    if (value == nullptr || value->kind == Kind::kNull) continue;
    const bool fits =
        i < keys_ ? IsOf(*schema_->field(i), *value) : value->kind == Kind::kText && value->text == *language_;
    if (!fits) return "other-columns";
  }
  return values_[text_] == nullptr ? "no-text" : nullptr;
}

arrow::Status JsonRows::MakeBuilders() {
  for (const auto& field : schema_->fields()) {
    ARROW_ASSIGN_OR_RAISE(builders_.emplace_back(), arrow::MakeBuilder(field->type()));
  }
  return arrow::Status::OK();
}

arrow::Result<const char*> JsonRows::Append(const JsonObject& object) {
  if (const char* misfit = Place(object)) return misfit;
  if (builders_.empty()) ARROW_RETURN_NOT_OK(MakeBuilders());
  for (int i = 0; i < keys_; ++i) {
    arrow::ArrayBuilder* builder = builders_[static_cast<size_t>(i)].get();
    const JsonField* value = values_[static_cast<size_t>(i)];
    const bool none = value == nullptr || value->kind == Kind::kNull;
    ARROW_RETURN_NOT_OK(none ? builder->AppendNull() : AppendValue(*value, builder));
  }
  if (language_) ARROW_RETURN_NOT_OK(static_cast<arrow::StringBuilder*>(builders_.back().get())->Append(*language_));
  return nullptr;
}

bool JsonRows::full() const {
  return !builders_.empty() && (bytes_ >= kMostBatchBytes || builders_[0]->length() >= kMaxBatchRows);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> JsonRows::Finish() {
  if (builders_.empty()) return nullptr;
  const int64_t rows = builders_[0]->length();
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& builder : builders_) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder->Finish());
  }
  builders_.clear();
  bytes_ = 0;
  return arrow::RecordBatch::Make(schema_, rows, columns);
}

arrow::Status JsonRows::AppendValue(const JsonField& value, arrow::ArrayBuilder* builder) {
  switch (builder->type()->id()) {
    case arrow::Type::UINT64:
      return static_cast<arrow::UInt64Builder*>(builder)->Append(value.natural());
    case arrow::Type::INT64:
      return static_cast<arrow::Int64Builder*>(builder)->Append(value.integer);
    case arrow::Type::DOUBLE:
      return static_cast<arrow::DoubleBuilder*>(builder)->Append(value.real());
    case arrow::Type::BOOL:
      return static_cast<arrow::BooleanBuilder*>(builder)->Append(value.truth);
    default:
      bytes_ += static_cast<int64_t>(value.text.size());
      return static_cast<arrow::StringBuilder*>(builder)->Append(value.text);
  }
}

}  // namespace uzushio
