#include "datasets/row_reader.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/table.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "datasets/columns.h"
#include "datasets/parquet_file.h"
#include "storage/line_reader.h"

namespace uzushio {

const std::vector<std::string_view> kDocumentSuffixes = {".parquet",   ".jsonl",   ".jsonl.gz",
                                                         ".jsonl.zst", ".json.gz", ".json"};

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

// Texts of every kind are utf8 for us.
std::shared_ptr<arrow::Schema> Normalised(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    fields.push_back(IsTextual(*field->type()) ? field->WithType(arrow::utf8()) : field);
  }
  return arrow::schema(fields);
}

// Whether a number of JSON is an integer that does not fit 64 bits with a sign.
bool IsBeyondInt64(const nlohmann::json& value) {
  return value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
}

std::shared_ptr<arrow::DataType> TypeOf(const nlohmann::json& value) {
  if (value.is_number_integer()) return IsBeyondInt64(value) ? arrow::uint64() : arrow::int64();
  if (value.is_number()) return arrow::float64();
  return value.is_boolean() ? arrow::boolean() : arrow::utf8();
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
    for (const auto& [key, value] : json.items()) fields.push_back(arrow::field(key, TypeOf(value)));
    return arrow::schema(fields);
  }
}

// The columns of files before and of this one, which have to be the same in any order: those that may be null in one of
// them may be null.
arrow::Result<std::shared_ptr<arrow::Schema>> Together(const arrow::Schema& before, const std::string& first_file,
                                                       const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : before.fields()) {
    const auto other = schema.GetFieldByName(field->name());
    if (other == nullptr) {
      return arrow::Status::Invalid("there is no column '", field->name(), "', which ", first_file, " has");
    }
    if (!other->type()->Equals(*field->type())) {
      return arrow::Status::Invalid("column '", field->name(), "' is of type ", other->type()->ToString(), ", and of ",
                                    field->type()->ToString(), " in ", first_file);
    }
    fields.push_back(field->WithNullable(field->nullable() || other->nullable()));
  }
  for (const auto& field : schema.fields()) {
    if (before.GetFieldIndex(field->name()) >= 0) continue;
    return arrow::Status::Invalid("there is a column '", field->name(), "', which ", first_file, " has not");
  }
  return arrow::schema(fields);
}

// Where lines of JSON are among the files, any value may lack.
std::shared_ptr<arrow::Schema> Nullable(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) fields.push_back(field->WithNullable(true));
  return arrow::schema(fields);
}

// --- Parquet ---

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Conform(const RowInputs& inputs, const RowPiece& piece,
                                                           const arrow::RecordBatch& batch) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const auto& field : inputs.schema->fields()) {
    if (inputs.language_of_path && columns.size() + 1 == static_cast<size_t>(inputs.schema->num_fields())) break;
    if (field->type()->id() == arrow::Type::STRING) {
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), TextColumn(batch, field->name()));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const int place, ColumnPlace(*batch.schema(), field->name()));
    columns.push_back(batch.column(place));
  }
  if (inputs.language_of_path) {
    ARROW_ASSIGN_OR_RAISE(auto languages,
                          arrow::MakeArrayFromScalar(arrow::StringScalar(piece.language), batch.num_rows()));
    columns.push_back(std::move(languages));
  }
  return arrow::RecordBatch::Make(inputs.schema, batch.num_rows(), columns);
}

arrow::Status ReadParquet(const RowInputs& inputs, const RowPiece& piece,
                          const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use) {
  return ReadRowGroup(*piece.file, piece.metadata, piece.row_group,
                      {.columns = {}, .batch_rows = kMaxBatchRows, .memory = inputs.memory},
                      [&](const arrow::RecordBatch& batch) -> arrow::Status {
                        ARROW_ASSIGN_OR_RAISE(const auto conformed, Conform(inputs, piece, batch));
                        return use(conformed);
                      });
}

// --- JSON Lines ---

// Rows of JSON objects as columns.
class JsonRows {
 public:
  explicit JsonRows(const RowInputs& inputs, const std::string& language)
      : schema_(inputs.schema),
        text_column_(inputs.text_column),
        language_of_path_(inputs.language_of_path),
        language_(language) {}

  arrow::Status Start() {
    builders_.clear();
    bytes_ = 0;
    for (const auto& field : schema_->fields()) {
      ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(field->type()));
      builders_.push_back(std::move(builder));
    }
    return arrow::Status::OK();
  }

  // Why the value is no row, or null: each key has to be a column whose type the value is of, and there has to be a
  // text.
  const char* Misfit(const nlohmann::json& json) const {
    if (!json.is_object()) return "other-columns";
    const bool fits = std::ranges::all_of(json.items(), [this](const auto& item) {
      const auto field = schema_->GetFieldByName(item.key());
      return field != nullptr && (item.value().is_null() || IsOf(*field->type(), item.value()));
    });
    if (!fits) return "other-columns";
    return json.contains(text_column_) ? nullptr : "no-text";
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
  static bool IsOf(const arrow::DataType& type, const nlohmann::json& value) {
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

  arrow::Status AppendValue(const nlohmann::json& value, arrow::ArrayBuilder* builder) {
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

  std::shared_ptr<arrow::Schema> schema_;
  std::string text_column_;
  bool language_of_path_;
  std::string language_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  int64_t bytes_ = 0;
};

arrow::Status ReadJson(const RowInputs& inputs, const RowPiece& piece,
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
    const char* reason = cut ? "line-too-long" : json.is_discarded() ? "no-json" : rows.Misfit(json);
    if (reason != nullptr) {
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

// Adds what a file has to what is known of those before.
arrow::Status AddColumns(const arrow::Schema& schema, const std::string& first_file, const std::string& id_column,
                         RowInputs* records) {
  ARROW_RETURN_NOT_OK(CheckNamesDiffer(schema));
  if (records->schema != nullptr) {
    ARROW_ASSIGN_OR_RAISE(records->schema, Together(*records->schema, first_file, schema));
    return arrow::Status::OK();
  }
  records->schema = arrow::schema(schema.fields());
  ARROW_RETURN_NOT_OK(CheckIdColumn(schema, id_column));
  const arrow::Status text = CheckTextColumn(schema, records->text_column);
  return text.ok() ? text : text.WithMessage(text.message(), "; name the texts' column by --text-column");
}

}  // namespace

arrow::Result<RowInputs> FindRows(const std::vector<InputFile>& inputs, const std::string& text_column,
                                  const std::string& id_column, const ReaderMemory& memory) {
  RowInputs records;
  records.text_column = text_column;
  records.memory = memory;
  int64_t row = 0;
  bool lines = false;
  for (const InputFile& file : inputs) {
    std::shared_ptr<parquet::FileMetaData> metadata;
    std::shared_ptr<arrow::Schema> schema;
    if (IsParquet(file.name)) {
      ARROW_ASSIGN_OR_RAISE(metadata, ReadParquetMetadata(file));
      ARROW_ASSIGN_OR_RAISE(schema, ParquetColumns(*metadata));
      schema = Normalised(*schema);
    } else if (records.schema == nullptr) {
      ARROW_ASSIGN_OR_RAISE(schema, ReadJsonSchema(file, memory));
    }
    lines |= metadata == nullptr;
    if (schema != nullptr) {
      const arrow::Status unlike = AddColumns(*schema, inputs[0].name, id_column, &records);
      if (!unlike.ok()) return unlike.WithMessage(file.name, ": ", unlike.message());
    }
    RowPiece piece;
    piece.file = &file;
    piece.metadata = metadata;
    piece.language = LanguageOf(file.name);
    const int groups = metadata == nullptr ? 1 : metadata->num_row_groups();
    if (metadata == nullptr) row = -1;
    for (piece.row_group = 0; piece.row_group < groups; ++piece.row_group) {
      piece.bytes = file.size / groups;
      piece.first_row = row;
      records.pieces.push_back(piece);
      if (row >= 0) row += metadata->RowGroup(piece.row_group)->num_rows();
    }
    records.language_of_path |= !piece.language.empty();
  }
  if (lines) records.schema = Nullable(*records.schema);
  records.language_of_path &= records.schema->GetFieldIndex("language") < 0;
  if (records.language_of_path) {
    ARROW_ASSIGN_OR_RAISE(records.schema, records.schema->AddField(records.schema->num_fields(),
                                                                   arrow::field("language", arrow::utf8(), false)));
  }
  return records;
}

arrow::Status ReadRows(const RowInputs& inputs, const RowPiece& piece,
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
