// Columns of tables by name, in the types that the stages work on.
//
// Programs write the same in different types: texts as strings, large strings, bytes, views or dictionaries of them,
// and a column without any value as of type null. What is equal is taken here; what is not is refused by errors that
// name the column, the type that is wanted and the one that there is.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace uzushio {

// Whether values of the type are texts, or bytes that may be.
bool IsTextual(const arrow::DataType& type);

// A column of texts that are values of JSON, arrays or objects; in lines of JSON they are written as such. Its field's
// metadata say so, which Parquet files do not keep.
std::shared_ptr<arrow::Field> FieldOfJson(const std::string& name);
bool IsJson(const arrow::Field& field);

// The names of a schema's columns, for errors: "docId, text".
std::string ColumnNames(const arrow::Schema& schema);

// The place of a column. Errors: there is none of the name, or there are several.
arrow::Result<int> ColumnPlace(const arrow::Schema& schema, const std::string& name);

// Errors: two columns have one name.
arrow::Status CheckNamesDiffer(const arrow::Schema& schema);
// Errors: there is no such column, or it is of another type than texts; than integers.
arrow::Status CheckTextColumn(const arrow::Schema& schema, const std::string& name);
arrow::Status CheckIntegerColumn(const arrow::Schema& schema, const std::string& name);
// What columns of ids and URLs are called where nothing else is said.
inline constexpr const char* kUsualIdColumn = "docId";
inline constexpr const char* kUsualUrlColumn = "url";
// Of a column that documents may do without, by an option with this default. Errors: there is none, and it is not the
// default that lacks; a name that was given has to be right.
arrow::Status CheckGivenColumn(const arrow::Schema& schema, const std::string& name, const std::string& usual);
// Errors: there are several such columns, or it is of another type than texts and integers. There may be none that is
// called "" or kUsualIdColumn.
arrow::Status CheckIdColumn(const arrow::Schema& schema, const std::string& name);

// An array of texts as utf8; whether the bytes are UTF-8 is not looked at. At most 2 GiB.
arrow::Result<std::shared_ptr<arrow::StringArray>> AsTexts(const std::shared_ptr<arrow::Array>& array);

// Whether values of the type are bytes that no type says to be texts.
bool IsBytes(const arrow::DataType& type);
// An array of texts or bytes as binary. At most 2 GiB.
arrow::Result<std::shared_ptr<arrow::BinaryArray>> AsBytes(const std::shared_ptr<arrow::Array>& array);

// The column as texts.
arrow::Result<std::shared_ptr<arrow::StringArray>> TextColumn(const arrow::RecordBatch& batch, const std::string& name);
// The column as ids: texts as they are, integers as their decimals. Null where there is no such column.
arrow::Result<std::shared_ptr<arrow::StringArray>> IdColumn(const arrow::RecordBatch& batch, const std::string& name);
// The column as numbers, none of which is null.
arrow::Result<std::shared_ptr<arrow::Int64Array>> IntegerColumn(const arrow::RecordBatch& batch,
                                                                const std::string& name);

// Calls `use` with each text of an array, of any number of bytes; nulls are empty texts.
arrow::Status ForEachText(const std::shared_ptr<arrow::Array>& array,
                          const std::function<arrow::Status(std::string_view)>& use);

// Bytes that a row takes in memory, about.
int64_t RowBytes(const arrow::RecordBatch& batch, int64_t row);

}  // namespace uzushio
