#include "datasets/json_rows.h"

#include <arrow/array.h>
#include <arrow/builder.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "datasets/piece.h"

namespace uzushio {
namespace {

constexpr int64_t kBatchBytes = int64_t{2} << 20;

// Whether a number of JSON is an integer that does not fit 64 bits with a sign.
bool IsBeyondInt64(const nlohmann::json& value) {
  return value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
}

std::shared_ptr<arrow::DataType> TypeOf(const nlohmann::json& value) {
  if (value.is_number_integer()) return IsBeyondInt64(value) ? arrow::uint64() : arrow::int64();
  if (value.is_number()) return arrow::float64();
  return value.is_boolean() ? arrow::boolean() : arrow::utf8();
}

bool IsOf(const arrow::DataType& type, const nlohmann::json& value) {
  switch (type.id()) {
    case arrow::Type::INT64:
      return value.is_number_integer() && !IsBeyondInt64(value);
    case arrow::Type::UINT64:
      return value.is_number_unsigned();
    case arrow::Type::DOUBLE:
      return value.is_number();
    case arrow::Type::BOOL:
      return value.is_boolean();
    case arrow::Type::STRING:
      return value.is_string();
    default:
      return false;  // of Parquet files beside
  }
}

}  // namespace

std::shared_ptr<arrow::Schema> SchemaOfJson(const nlohmann::ordered_json& object) {
  arrow::FieldVector fields;
  for (const auto& [key, value] : object.items()) fields.push_back(arrow::field(key, TypeOf(value)));
  return arrow::schema(fields);
}

JsonRows::JsonRows(std::shared_ptr<arrow::Schema> schema, std::string text_column, std::optional<std::string> language)
    : schema_(std::move(schema)),
      text_column_(std::move(text_column)),
      language_(std::move(language)),
      keys_(schema_->num_fields() - (language_ ? 1 : 0)) {}

const char* JsonRows::Misfit(const nlohmann::json& json) const {
  if (!json.is_object()) return "other-columns";
  const bool fits = std::ranges::all_of(json.items(), [this](const auto& item) {
    const int column = schema_->GetFieldIndex(item.key());
    if (column < 0) return false;
    if (column >= keys_) return item.value().is_null() || item.value() == *language_;
    return item.value().is_null() || IsOf(*schema_->field(column)->type(), item.value());
  });
  if (!fits) return "other-columns";
  return json.contains(text_column_) ? nullptr : "no-text";
}

arrow::Status JsonRows::MakeBuilders() {
  for (const auto& field : schema_->fields()) {
    ARROW_ASSIGN_OR_RAISE(builders_.emplace_back(), arrow::MakeBuilder(field->type()));
  }
  return arrow::Status::OK();
}

arrow::Status JsonRows::Append(const nlohmann::json& json) {
  if (builders_.empty()) ARROW_RETURN_NOT_OK(MakeBuilders());
  for (int i = 0; i < keys_; ++i) {
    arrow::ArrayBuilder* builder = builders_[static_cast<size_t>(i)].get();
    const auto value = json.find(schema_->field(i)->name());
    ARROW_RETURN_NOT_OK(value == json.end() || value->is_null() ? builder->AppendNull() : AppendValue(*value, builder));
  }
  if (!language_) return arrow::Status::OK();
  return static_cast<arrow::StringBuilder*>(builders_.back().get())->Append(*language_);
}

bool JsonRows::full() const {
  return !builders_.empty() && (bytes_ >= kBatchBytes || builders_[0]->length() >= kMaxBatchRows);
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

arrow::Status JsonRows::AppendValue(const nlohmann::json& value, arrow::ArrayBuilder* builder) {
  switch (builder->type()->id()) {
    case arrow::Type::UINT64:
      return static_cast<arrow::UInt64Builder*>(builder)->Append(value.get<uint64_t>());
    case arrow::Type::INT64:
      return static_cast<arrow::Int64Builder*>(builder)->Append(value.get<int64_t>());
    case arrow::Type::DOUBLE:
      return static_cast<arrow::DoubleBuilder*>(builder)->Append(value.get<double>());
    case arrow::Type::BOOL:
      return static_cast<arrow::BooleanBuilder*>(builder)->Append(value.get<bool>());
    default: {
      const auto& text = value.get_ref<const std::string&>();
      bytes_ += static_cast<int64_t>(text.size());
      return static_cast<arrow::StringBuilder*>(builder)->Append(text);
    }
  }
}

}  // namespace uzushio
