#include "datasets/columns.h"

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/cast.h>
#include <arrow/util/key_value_metadata.h>

#include <limits>
#include <set>

namespace uzushio {
namespace {

constexpr const char* kJsonKey = "uzushio.json";

bool IsLarge(arrow::Type::type type) { return type == arrow::Type::LARGE_STRING || type == arrow::Type::LARGE_BINARY; }

arrow::Status WrongType(const std::string& name, const arrow::DataType& type, const char* wanted) {
  return arrow::Status::Invalid("column '", name, "' is of type ", type.ToString(), ", and ", wanted, " are wanted");
}

arrow::Result<std::shared_ptr<arrow::Array>> Cast(const std::shared_ptr<arrow::Array>& array,
                                                  const arrow::compute::CastOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const auto cast, arrow::compute::Cast(array, options));
  return cast.make_array();
}

// An array with 64-bit offsets that begins far on in its bytes, copied, so that its offsets begin at 0.
arrow::Result<std::shared_ptr<arrow::Array>> FromTheBeginning(const std::shared_ptr<arrow::Array>& array) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const auto& large = static_cast<const arrow::LargeBinaryArray&>(*array);
  if (large.value_offset(large.length()) <= kMost) return array;
  if (large.total_values_length() > kMost) return arrow::Status::Invalid("texts of more than 2 GiB in one batch");
  return arrow::Concatenate({array});
}

// Bytes that values of a column take, about.
int64_t BytesOf(const arrow::Array& column, int64_t begin, int64_t rows) {
  switch (column.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const auto& texts = static_cast<const arrow::BinaryArray&>(column);
      return texts.value_offset(begin + rows) - texts.value_offset(begin) + 4 * rows;
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP: {
      const auto& lists = static_cast<const arrow::ListArray&>(column);
      const int64_t first = lists.value_offset(begin);
      return BytesOf(*lists.values(), first, lists.value_offset(begin + rows) - first) + 4 * rows;
    }
    case arrow::Type::LARGE_LIST: {
      const auto& lists = static_cast<const arrow::LargeListArray&>(column);
      const int64_t first = lists.value_offset(begin);
      return BytesOf(*lists.values(), first, lists.value_offset(begin + rows) - first) + 8 * rows;
    }
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& lists = static_cast<const arrow::FixedSizeListArray&>(column);
      return BytesOf(*lists.values(), lists.value_offset(begin), rows * lists.list_type()->list_size());
    }
    case arrow::Type::STRUCT: {
      int64_t bytes = rows;
      for (const auto& field : static_cast<const arrow::StructArray&>(column).fields()) {
        bytes += BytesOf(*field, begin, rows);
      }
      return bytes;
    }
    default:
      return 8 * rows;
  }
}

}  // namespace

bool IsTextual(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    return IsTextual(*static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return arrow::is_base_binary_like(type.id()) || arrow::is_binary_view_like(type.id()) || type.id() == arrow::Type::NA;
}

bool IsBytes(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    return IsBytes(*static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY ||
         type.id() == arrow::Type::BINARY_VIEW;
}

std::shared_ptr<arrow::Field> FieldOfJson(const std::string& name) {
  return arrow::field(name, arrow::utf8(), true, arrow::key_value_metadata({kJsonKey}, {"1"}));
}

bool IsJson(const arrow::Field& field) { return field.HasMetadata() && field.metadata()->Contains(kJsonKey); }

std::string ColumnNames(const arrow::Schema& schema) {
  std::string names;
  for (const auto& field : schema.fields()) names += (names.empty() ? "" : ", ") + field->name();
  return names;
}

arrow::Result<int> ColumnPlace(const arrow::Schema& schema, const std::string& name) {
  const std::vector<int> places = schema.GetAllFieldIndices(name);
  if (places.size() == 1) return places[0];
  if (places.empty()) return arrow::Status::Invalid("there is no column '", name, "', only ", ColumnNames(schema));
  return arrow::Status::Invalid("there are ", places.size(), " columns '", name, "'");
}

arrow::Status CheckNamesDiffer(const arrow::Schema& schema) {
  std::set<std::string_view> names;
  for (const auto& field : schema.fields()) {
    if (!names.insert(field->name()).second) return ColumnPlace(schema, field->name()).status();
  }
  return arrow::Status::OK();
}

arrow::Status CheckTextColumn(const arrow::Schema& schema, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const int place, ColumnPlace(schema, name));
  const arrow::DataType& type = *schema.field(place)->type();
  if (IsJson(*schema.field(place))) {
    return arrow::Status::Invalid("column '", name, "' holds arrays or objects, and texts are wanted");
  }
  return IsTextual(type) ? arrow::Status::OK() : WrongType(name, type, "texts");
}

arrow::Status CheckIntegerColumn(const arrow::Schema& schema, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const int place, ColumnPlace(schema, name));
  const arrow::DataType& type = *schema.field(place)->type();
  return arrow::is_integer(type.id()) ? arrow::Status::OK() : WrongType(name, type, "integers");
}

arrow::Status CheckGivenColumn(const arrow::Schema& schema, const std::string& name, const std::string& usual) {
  if (name.empty() || name == usual) return arrow::Status::OK();
  return schema.GetAllFieldIndices(name).empty() ? ColumnPlace(schema, name).status() : arrow::Status::OK();
}

arrow::Status CheckIdColumn(const arrow::Schema& schema, const std::string& name) {
  ARROW_RETURN_NOT_OK(CheckGivenColumn(schema, name, kUsualIdColumn));
  if (schema.GetAllFieldIndices(name).empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const int place, ColumnPlace(schema, name));
  const arrow::DataType& type = *schema.field(place)->type();
  if (IsTextual(type) || arrow::is_integer(type.id())) return arrow::Status::OK();
  return WrongType(name, type, "ids, which are texts or integers,");
}

namespace {

// An array of texts or bytes of any form as one with 32-bit offsets.
arrow::Result<std::shared_ptr<arrow::Array>> AsBinaryLike(const std::shared_ptr<arrow::Array>& array,
                                                          const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::Array> texts = array;
  if (texts->type_id() == arrow::Type::DICTIONARY) {
    const auto& words = static_cast<const arrow::DictionaryArray&>(*texts);
    ARROW_ASSIGN_OR_RAISE(texts, arrow::compute::Take(*words.dictionary(), *words.indices()));
  }
  if (IsLarge(texts->type_id())) {
    ARROW_ASSIGN_OR_RAISE(texts, FromTheBeginning(texts));
  }
  if (texts->type_id() == arrow::Type::NA) {
    ARROW_ASSIGN_OR_RAISE(texts, arrow::MakeArrayOfNull(type, texts->length()));
  }
  if (texts->type_id() != type->id()) {
    ARROW_ASSIGN_OR_RAISE(texts, Cast(texts, arrow::compute::CastOptions::Unsafe(type)));
  }
  return texts;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::StringArray>> AsTexts(const std::shared_ptr<arrow::Array>& array) {
  ARROW_ASSIGN_OR_RAISE(auto texts, AsBinaryLike(array, arrow::utf8()));
  return std::static_pointer_cast<arrow::StringArray>(std::move(texts));
}

arrow::Result<std::shared_ptr<arrow::BinaryArray>> AsBytes(const std::shared_ptr<arrow::Array>& array) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, AsBinaryLike(array, arrow::binary()));
  return std::static_pointer_cast<arrow::BinaryArray>(std::move(bytes));
}

arrow::Result<std::shared_ptr<arrow::StringArray>> TextColumn(const arrow::RecordBatch& batch,
                                                              const std::string& name) {
  ARROW_RETURN_NOT_OK(CheckTextColumn(*batch.schema(), name));
  auto texts = AsTexts(batch.GetColumnByName(name));
  return texts.ok() ? texts : texts.status().WithMessage("column '", name, "': ", texts.status().message());
}

arrow::Result<std::shared_ptr<arrow::StringArray>> IdColumn(const arrow::RecordBatch& batch, const std::string& name) {
  ARROW_RETURN_NOT_OK(CheckIdColumn(*batch.schema(), name));
  const auto column = batch.GetColumnByName(name);
  if (column == nullptr) return nullptr;
  if (!arrow::is_integer(column->type_id())) return TextColumn(batch, name);
  ARROW_ASSIGN_OR_RAISE(const auto ids, Cast(column, arrow::compute::CastOptions::Safe(arrow::utf8())));
  return std::static_pointer_cast<arrow::StringArray>(ids);
}

arrow::Result<std::shared_ptr<arrow::Int64Array>> IntegerColumn(const arrow::RecordBatch& batch,
                                                                const std::string& name) {
  ARROW_RETURN_NOT_OK(CheckIntegerColumn(*batch.schema(), name));
  std::shared_ptr<arrow::Array> column = batch.GetColumnByName(name);
  if (column->null_count() > 0) return arrow::Status::Invalid("column '", name, "' has nulls");
  if (column->type_id() != arrow::Type::INT64) {
    auto cast = Cast(column, arrow::compute::CastOptions::Safe(arrow::int64()));
    if (!cast.ok()) return cast.status().WithMessage("column '", name, "': ", cast.status().message());
    column = *std::move(cast);
  }
  return std::static_pointer_cast<arrow::Int64Array>(column);
}

arrow::Status ForEachText(const std::shared_ptr<arrow::Array>& array,
                          const std::function<arrow::Status(std::string_view)>& use) {
  const auto use_all = [&use](const auto& texts) -> arrow::Status {
    for (int64_t i = 0; i < texts.length(); ++i) {
      ARROW_RETURN_NOT_OK(use(texts.IsNull(i) ? std::string_view() : texts.GetView(i)));
    }
    return arrow::Status::OK();
  };
  if (IsLarge(array->type_id())) return use_all(static_cast<const arrow::LargeBinaryArray&>(*array));
  ARROW_ASSIGN_OR_RAISE(const auto texts, AsTexts(array));
  return use_all(*texts);
}

int64_t RowBytes(const arrow::RecordBatch& batch, int64_t row) {
  int64_t bytes = 0;
  for (const auto& column : batch.columns()) bytes += BytesOf(*column, row, 1);
  return bytes;
}

}  // namespace uzushio
