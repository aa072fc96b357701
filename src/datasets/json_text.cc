#include "datasets/json_text.h"

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/util/base64.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "datasets/columns.h"
#include "datasets/json_object.h"

namespace uzushio {
namespace {

// Of a long value that is turned into JSON at once; of three bytes each, as base64 takes them.
constexpr size_t kValueBlock = size_t{192} << 10;

// The end of a block from `begin`, which cuts no code point.
size_t BlockEnd(std::string_view text, size_t begin) {
  if (text.size() - begin <= kValueBlock) return text.size();
  const size_t most = begin + kValueBlock;
  const auto is_inside = [text](size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  for (size_t end = most; end + 4 > most; --end) {
    if (!is_inside(end)) return end;
  }
  return most;  // no code point has so many bytes
}

void AppendQuoted(std::string_view text, std::string* line) {
  *line += '"';
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = BlockEnd(text, begin);
    const std::string quoted =
        nlohmann::json(text.substr(begin, end - begin)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    line->append(quoted, 1, quoted.size() - 2);
    begin = end;
  }
  *line += '"';
}

void AppendBase64(std::string_view bytes, std::string* line) {
  *line += '"';
  for (size_t begin = 0; begin < bytes.size(); begin += kValueBlock) {
    *line += arrow::util::base64_encode(bytes.substr(begin, kValueBlock));
  }
  *line += '"';
}

// Whether it can stand in a line of JSON as it is.
bool IsValueOfLine(std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return false;
  const JsonObject::Line parsed = JsonObject().Parse(text);
  return parsed == JsonObject::Line::kObject || parsed == JsonObject::Line::kOtherValue;
}

// A number that is no integer is written as such, so that it is read as such.
std::string Fraction(const std::string& text) {
  if (text.find_first_of("nN") != std::string::npos) return "null";  // JSON has no NaN and no infinity
  return text.find_first_of(".eE") == std::string::npos ? text + ".0" : text;
}

arrow::Status AppendValue(const arrow::Field& field, const arrow::Array& column, int64_t row, std::string* line);

arrow::Status AppendArray(const arrow::Array& values, std::string* line) {
  const arrow::Field item("item", values.type());
  *line += '[';
  for (int64_t i = 0; i < values.length(); ++i) {
    if (i > 0) *line += ',';
    ARROW_RETURN_NOT_OK(AppendValue(item, values, i, line));
  }
  *line += ']';
  return arrow::Status::OK();
}

// `fields` and `columns` are a struct's, or a batch's.
arrow::Status AppendObject(const arrow::FieldVector& fields, const arrow::ArrayVector& columns, int64_t row,
                           std::string* line) {
  *line += '{';
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) *line += ',';
    AppendQuoted(fields[i]->name(), line);
    *line += ':';
    ARROW_RETURN_NOT_OK(AppendValue(*fields[i], *columns[i], row, line));
  }
  *line += '}';
  return arrow::Status::OK();
}

arrow::Status AppendScalar(const arrow::Array& column, int64_t row, std::string* line) {
  ARROW_ASSIGN_OR_RAISE(const auto scalar, column.GetScalar(row));
  const arrow::Type::type type = column.type_id();
  const std::string text = scalar->ToString();
  if (arrow::is_integer(type) || type == arrow::Type::BOOL) {
    *line += text;
  } else if (arrow::is_floating(type)) {
    *line += Fraction(text);
  } else {
    AppendQuoted(text, line);
  }
  return arrow::Status::OK();
}

arrow::Status AppendValue(const arrow::Field& field, const arrow::Array& column, int64_t row, std::string* line) {
  if (column.IsNull(row)) {
    *line += "null";
    return arrow::Status::OK();
  }
  switch (column.type_id()) {
    case arrow::Type::STRING: {
      const std::string_view text = static_cast<const arrow::StringArray&>(column).GetView(row);
      if (IsJson(field) && IsValueOfLine(text)) {
        *line += text;
      } else {
        AppendQuoted(text, line);
      }
      return arrow::Status::OK();
    }
    case arrow::Type::BINARY:
      AppendBase64(static_cast<const arrow::BinaryArray&>(column).GetView(row), line);
      return arrow::Status::OK();
    case arrow::Type::LIST:
    case arrow::Type::MAP:  // of pairs
      return AppendArray(*static_cast<const arrow::ListArray&>(column).value_slice(row), line);
    case arrow::Type::LARGE_LIST:
      return AppendArray(*static_cast<const arrow::LargeListArray&>(column).value_slice(row), line);
    case arrow::Type::FIXED_SIZE_LIST:
      return AppendArray(*static_cast<const arrow::FixedSizeListArray&>(column).value_slice(row), line);
    case arrow::Type::STRUCT:
      return AppendObject(column.type()->fields(), static_cast<const arrow::StructArray&>(column).fields(), row, line);
    default:
      return AppendScalar(column, row, line);
  }
}

}  // namespace

arrow::Status AppendJson(const arrow::RecordBatch& batch, int64_t row, std::string* text) {
  // Bytes grow by a third; names and escapes, by a little.
  text->reserve(text->size() + static_cast<size_t>(RowBytes(batch, row)) * 11 / 8 + 256);
  return AppendObject(batch.schema()->fields(), batch.columns(), row, text);
}

}  // namespace uzushio
