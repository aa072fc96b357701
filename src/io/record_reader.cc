#include "io/record_reader.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/cast.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/table.h>
#include <parquet/arrow/schema.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/line_reader.h"
#include "io/parquet_file.h"

namespace uzushio {
namespace {

constexpr int64_t kBatchBytes = int64_t{2} << 20;
constexpr int64_t kMaxBatchRows = 1024;
constexpr size_t kMaxLineBytes = size_t{256} << 20;
constexpr std::string_view kLanguageFolder = "language=";

std::string LanguageOf(const std::string& name) {
  for (size_t at = name.find(kLanguageFolder); at != std::string::npos; at = name.find(kLanguageFolder, at + 1)) {
    if (at > 0 && name[at - 1] != '/') continue;
    const size_t begin = at + kLanguageFolder.size();
    const size_t end = name.find('/', begin);
    if (end != std::string::npos) return name.substr(begin, end - begin);
  }
  return {};
}

bool IsText(const arrow::DataType& type) { return arrow::is_base_binary_like(type.id()); }

// Texts of every kind are utf8 for us.
std::shared_ptr<arrow::Schema> Normalised(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    fields.push_back(
        arrow::field(field->name(), IsText(*field->type()) ? arrow::utf8() : field->type(), field->nullable()));
  }
  return arrow::schema(fields);
}

arrow::Result<std::shared_ptr<arrow::Schema>> ParquetSchema(const parquet::FileMetaData& metadata) {
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(parquet::arrow::FromParquetSchema(metadata.schema(), parquet::ArrowReaderProperties(),
                                                        metadata.key_value_metadata(), &schema));
  return Normalised(*schema);
}

arrow::Result<std::shared_ptr<arrow::Schema>> ReadJsonSchema(const InputFile& file, const ReaderMemory& memory) {
  LineReader lines(file, kMaxLineBytes, memory);
  while (true) {
    bool cut = false;
    const auto next = lines.Next(&cut);
    if (!next.ok()) return next.status().WithMessage(file.name, ": ", next.status().message());
    const auto& line = *next;
    if (!line) return arrow::Status::Invalid(file.name, ": holds no JSON object");
    if (cut) continue;
    const nlohmann::ordered_json json = nlohmann::ordered_json::parse(*line, nullptr, false);
    if (!json.is_object()) continue;
    arrow::FieldVector fields;
    for (const auto& [key, value] : json.items()) {
      const auto type = value.is_number_integer() ? arrow::int64()
                        : value.is_number()       ? arrow::float64()
                        : value.is_boolean()      ? arrow::boolean()
                                                  : arrow::utf8();
      fields.push_back(arrow::field(key, type));
    }
    return arrow::schema(fields);
  }
}

std::string Names(const arrow::Schema& schema) {
  std::string names;
  for (const auto& field : schema.fields()) names += (names.empty() ? "" : ", ") + field->name();
  return names;
}

// --- Parquet ---

arrow::Result<std::shared_ptr<arrow::Array>> AsText(const std::shared_ptr<arrow::Array>& array) {
  if (array->type_id() == arrow::Type::STRING) return array;
  ARROW_ASSIGN_OR_RAISE(const auto cast,
                        arrow::compute::Cast(array, arrow::compute::CastOptions::Unsafe(arrow::utf8())));
  return cast.make_array();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Conform(const RecordInputs& inputs, const RecordPiece& piece,
                                                           const arrow::RecordBatch& batch) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& field : inputs.schema->fields()) {
    if (inputs.language_of_path && columns.size() + 1 == static_cast<size_t>(inputs.schema->num_fields())) break;
    auto column = batch.GetColumnByName(field->name());
    if (field->type()->id() == arrow::Type::STRING) {
      ARROW_ASSIGN_OR_RAISE(column, AsText(column));
    }
    columns.push_back(std::move(column));
  }
  if (inputs.language_of_path) {
    ARROW_ASSIGN_OR_RAISE(auto languages,
                          arrow::MakeArrayFromScalar(arrow::StringScalar(piece.language), batch.num_rows()));
    columns.push_back(std::move(languages));
  }
  return arrow::RecordBatch::Make(inputs.schema, batch.num_rows(), columns);
}

arrow::Status ReadParquet(const RecordInputs& inputs, const RecordPiece& piece,
                          const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use) {
  return ReadRowGroup(*piece.file, piece.metadata, piece.row_group,
                      {.batch_rows = kMaxBatchRows, .memory = inputs.memory},
                      [&](const arrow::RecordBatch& batch) -> arrow::Status {
                        ARROW_ASSIGN_OR_RAISE(const auto conformed, Conform(inputs, piece, batch));
                        return use(conformed);
                      });
}

// --- JSON Lines ---

// Rows of JSON objects as columns.
class JsonRows {
 public:
  explicit JsonRows(const RecordInputs& inputs, const std::string& language)
      : schema_(inputs.schema), language_of_path_(inputs.language_of_path), language_(language) {}

  arrow::Status Start() {
    builders_.clear();
    bytes_ = 0;
    for (const auto& field : schema_->fields()) {
      ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(field->type()));
      builders_.push_back(std::move(builder));
    }
    return arrow::Status::OK();
  }

  // Whether each key is a column whose type the value is of.
  bool Fits(const nlohmann::json& json) const {
    if (!json.is_object()) return false;
    return std::ranges::all_of(json.items(), [this](const auto& item) {
      const auto field = schema_->GetFieldByName(item.key());
      if (field == nullptr) return false;
      if (item.value().is_null()) return true;
      switch (field->type()->id()) {
        case arrow::Type::INT64:
          return item.value().is_number_integer();
        case arrow::Type::DOUBLE:
          return item.value().is_number();
        case arrow::Type::BOOL:
          return item.value().is_boolean();
        default:
          return item.value().is_string();
      }
    });
  }

  arrow::Status Append(const nlohmann::json& json) {
    for (int i = 0; i < schema_->num_fields(); ++i) {
      arrow::ArrayBuilder* builder = builders_[static_cast<size_t>(i)].get();
      if (language_of_path_ && i + 1 == schema_->num_fields()) {
        ARROW_RETURN_NOT_OK(static_cast<arrow::StringBuilder*>(builder)->Append(language_));
        continue;
      }
      const auto value = json.find(schema_->field(i)->name());
      ARROW_RETURN_NOT_OK(value == json.end() || value->is_null() ? builder->AppendNull()
                                                                  : AppendValue(*value, builder));
    }
    return arrow::Status::OK();
  }

  bool full() const { return bytes_ >= kBatchBytes || builders_[0]->length() >= kMaxBatchRows; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const auto& builder : builders_) {
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), builder->Finish());
    }
    const int64_t rows = columns[0]->length();
    ARROW_RETURN_NOT_OK(Start());
    return arrow::RecordBatch::Make(schema_, rows, columns);
  }

 private:
  arrow::Status AppendValue(const nlohmann::json& value, arrow::ArrayBuilder* builder) {
    switch (builder->type()->id()) {
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

  std::shared_ptr<arrow::Schema> schema_;
  bool language_of_path_;
  std::string language_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  int64_t bytes_ = 0;
};

arrow::Status ReadJson(const RecordInputs& inputs, const RecordPiece& piece,
                       const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use,
                       const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  JsonRows rows(inputs, piece.language);
  ARROW_RETURN_NOT_OK(rows.Start());
  LineReader lines(*piece.file, kMaxLineBytes, inputs.memory);
  while (true) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines.Next(&cut));
    if (!line) break;
    if (line->empty() && !cut) continue;
    const nlohmann::json json = cut ? nlohmann::json() : nlohmann::json::parse(*line, nullptr, false);
    if (cut || json.is_discarded() || !rows.Fits(json)) {
      const char* reason = cut ? "line-too-long" : json.is_discarded() ? "no-json" : "other-columns";
      ARROW_RETURN_NOT_OK(bad(
          {piece.file->name, lines.offset(), lines.length(), reason, std::string(line->substr(0, size_t{1} << 20))}));
      continue;
    }
    ARROW_RETURN_NOT_OK(rows.Append(json));
    if (!rows.full()) continue;
    ARROW_ASSIGN_OR_RAISE(const auto batch, rows.Finish());
    ARROW_RETURN_NOT_OK(use(batch));
  }
  ARROW_ASSIGN_OR_RAISE(const auto batch, rows.Finish());
  return batch->num_rows() == 0 ? arrow::Status::OK() : use(batch);
}

}  // namespace

arrow::Result<RecordInputs> FindRecords(const std::vector<InputFile>& inputs, const std::string& text_column,
                                        const ReaderMemory& memory) {
  RecordInputs records;
  records.memory = memory;
  int64_t row = 0;
  for (const InputFile& file : inputs) {
    std::shared_ptr<parquet::FileMetaData> metadata;
    std::shared_ptr<arrow::Schema> schema;
    if (IsParquet(file.name)) {
      ARROW_ASSIGN_OR_RAISE(metadata, ReadParquetMetadata(file));
      ARROW_ASSIGN_OR_RAISE(schema, ParquetSchema(*metadata));
    } else if (records.schema == nullptr) {
      ARROW_ASSIGN_OR_RAISE(schema, ReadJsonSchema(file, memory));
    }
    if (records.schema == nullptr) records.schema = schema;
    if (schema != nullptr && !schema->Equals(*records.schema)) {
      return arrow::Status::Invalid(file.name, ": its columns (", Names(*schema), ") are not those of ", inputs[0].name,
                                    " (", Names(*records.schema), "), or of other types");
    }
    const std::string language = LanguageOf(file.name);
    if (metadata == nullptr) {
      records.pieces.push_back({&file, nullptr, 0, file.size, language, -1});
      row = -1;
    } else {
      const int groups = metadata->num_row_groups();
      for (int i = 0; i < groups; ++i) {
        records.pieces.push_back({&file, metadata, i, file.size / groups, language, row});
        if (row >= 0) row += metadata->RowGroup(i)->num_rows();
      }
    }
    records.language_of_path |= !language.empty();
  }
  const auto text = records.schema->GetFieldByName(text_column);
  if (text == nullptr) {
    return arrow::Status::Invalid(inputs[0].name, ": has no column '", text_column, "', only ", Names(*records.schema));
  }
  if (text->type()->id() != arrow::Type::STRING) {
    return arrow::Status::Invalid(inputs[0].name, ": column '", text_column, "' holds no texts");
  }
  records.language_of_path &= records.schema->GetFieldIndex("language") < 0;
  if (records.language_of_path) {
    ARROW_ASSIGN_OR_RAISE(records.schema, records.schema->AddField(records.schema->num_fields(),
                                                                   arrow::field("language", arrow::utf8(), false)));
  }
  return records;
}

arrow::Status ReadRecords(const RecordInputs& inputs, const RecordPiece& piece,
                          const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use,
                          const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  arrow::Status used;  // an error of the caller needs no file name
  const auto guarded = [&](const std::shared_ptr<arrow::RecordBatch>& batch) { return used = use(batch); };
  const arrow::Status status =
      piece.metadata != nullptr ? ReadParquet(inputs, piece, guarded) : ReadJson(inputs, piece, guarded, bad);
  if (status.ok() || !used.ok()) return used.ok() ? status : used;
  return status.WithMessage(piece.file->name, ": ", status.message());
}

}  // namespace uzushio
