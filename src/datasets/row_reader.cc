#include "datasets/row_reader.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "datasets/columns.h"
#include "datasets/json_lines.h"
#include "datasets/json_rows.h"
#include "datasets/parquet_file.h"
#include "storage/output_names.h"

namespace uzushio {

const std::vector<std::string_view> kDocumentSuffixes = {".parquet",   kOwnParquetEnding, ".jsonl", ".jsonl.gz",
                                                         ".jsonl.zst", ".json.gz",        ".json"};

namespace {

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

// Texts of every kind are utf8 for us, and so are texts and ids that other programs write as bytes. Other bytes stay
// what they are.
std::shared_ptr<arrow::Schema> Normalised(const arrow::Schema& schema, const std::string& text_column,
                                          const std::string& id_column) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    const bool is_text = !IsBytes(*field->type()) || field->name() == text_column || field->name() == id_column;
    fields.push_back(!IsTextual(*field->type()) ? field : field->WithType(is_text ? arrow::utf8() : arrow::binary()));
  }
  return arrow::schema(fields);
}

arrow::Result<std::shared_ptr<arrow::Schema>> ReadSchema(const InputFile& file, const parquet::FileMetaData* metadata,
                                                         const std::string& id_column, const RowInputs& records) {
  if (metadata == nullptr) {
    JsonColumns columns;
    ARROW_RETURN_NOT_OK(
        ForFirstJsonObjects(file, records.memory, [&](const JsonObject& object) { columns.Add(object); }));
    return columns.Schema();
  }
  ARROW_ASSIGN_OR_RAISE(const auto schema, ParquetColumns(*metadata));
  return Normalised(*schema, records.text_column, id_column);
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
    const bool are_bytes = IsTextual(*field->type()) && IsTextual(*other->type());  // texts in one of them
    if (!are_bytes && !other->type()->Equals(*field->type())) {
      return arrow::Status::Invalid("column '", field->name(), "' is of type ", other->type()->ToString(), ", and of ",
                                    field->type()->ToString(), " in ", first_file);
    }
    const auto both = field->WithNullable(field->nullable() || other->nullable());
    fields.push_back(other->type()->Equals(*field->type()) ? both : both->WithType(arrow::binary()));
  }
  for (const auto& field : schema.fields()) {
    if (before.GetFieldIndex(field->name()) >= 0) continue;
    return arrow::Status::Invalid("there is a column '", field->name(), "', which ", first_file, " has not");
  }
  return arrow::schema(fields);
}

// The columns of an output without documents, of which there is no file: those that documents have (docs/formats.md).
std::shared_ptr<arrow::Schema> NoDocuments(const std::string& text_column, const std::string& id_column) {
  arrow::FieldVector fields;
  std::set<std::string> names;
  for (const std::string& name :
       {id_column, std::string("url"), std::string("charset"), text_column, std::string("date")}) {
    if (!name.empty() && names.insert(name).second) fields.push_back(arrow::field(name, arrow::utf8(), false));
  }
  return arrow::schema(fields);
}

// Where lines of JSON are among the files, any value may lack.
std::shared_ptr<arrow::Schema> Nullable(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) fields.push_back(field->WithNullable(true));
  return arrow::schema(fields);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Conform(const RowInputs& inputs, const RowSplit& split,
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
    if (field->type()->id() == arrow::Type::BINARY) {
      ARROW_ASSIGN_OR_RAISE(columns.back(), AsBytes(columns.back()));
    }
    if (!columns.back()->type()->Equals(*field->type())) {
      return arrow::Status::Invalid("column '", field->name(), "' is of type ", columns.back()->type()->ToString(),
                                    ", and the file says ", field->type()->ToString());
    }
  }
  if (inputs.language_of_path) {
    ARROW_ASSIGN_OR_RAISE(auto languages,
                          arrow::MakeArrayFromScalar(arrow::StringScalar(split.language), batch.num_rows()));
    columns.push_back(std::move(languages));
  }
  return arrow::RecordBatch::Make(inputs.schema, batch.num_rows(), columns);
}

arrow::Status ReadParquet(const RowInputs& inputs, const RowSplit& split,
                          const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use) {
  return ReadRowGroup(*split.file, split.metadata, split.row_group, {.columns = {}, .memory = inputs.memory},
                      [&](const arrow::RecordBatch& batch) -> arrow::Status {
                        ARROW_ASSIGN_OR_RAISE(const auto conformed, Conform(inputs, split, batch));
                        return use(conformed);
                      });
}

// Parts of a text that one thread reads.
constexpr int64_t kTextPartBytes = int64_t{32} << 20;

arrow::Status ReadText(const RowInputs& inputs, const RowSplit& split,
                       const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use,
                       const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  const std::string& delimiter = inputs.formats.delimiter;
  const bool is_part = CanBeReadInParts(*split.file, delimiter);
  TextDocumentReader reader(*split.file, delimiter, split.begin,
                            is_part ? split.begin + split.bytes : std::numeric_limits<int64_t>::max(), inputs.memory);
  arrow::StringBuilder texts;
  const auto hand_on = [&]() -> arrow::Status {
    const int64_t rows = texts.length();
    if (rows == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto column, texts.Finish());
    return use(arrow::RecordBatch::Make(inputs.schema, rows, {column}));
  };
  while (true) {
    bool too_long = false;
    ARROW_ASSIGN_OR_RAISE(const auto text, reader.Next(&too_long));
    if (!text) return hand_on();
    if (too_long) {
      ARROW_RETURN_NOT_OK(bad({split.file->name, reader.offset(), reader.length(), "too-long", std::string(*text)}));
      continue;
    }
    ARROW_RETURN_NOT_OK(texts.Append(*text));
    if (texts.value_data_length() >= kMostBatchBytes || texts.length() >= kMaxBatchRows) ARROW_RETURN_NOT_OK(hand_on());
  }
}

arrow::Status ReadJson(const RowInputs& inputs, const RowSplit& split,
                       const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use,
                       const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  JsonRows rows(inputs.schema, inputs.text_column,
                inputs.language_of_path ? std::optional(split.language) : std::nullopt);
  const auto hand_on = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto batch, rows.Finish());
    return batch == nullptr ? arrow::Status::OK() : use(batch);
  };
  const auto add = [&](const JsonObject& object) -> arrow::Result<const char*> {
    ARROW_ASSIGN_OR_RAISE(const char* misfit, rows.Append(object));
    if (misfit == nullptr && rows.full()) ARROW_RETURN_NOT_OK(hand_on());
    return misfit;
  };
  ARROW_RETURN_NOT_OK(ForEachJsonLine(*split.file, inputs.memory, "other-columns", add, bad));
  return hand_on();
}

// The columns of plain text.
std::shared_ptr<arrow::Schema> TextSchema(const std::string& text_column) {
  return arrow::schema({arrow::field(text_column, arrow::utf8(), false)});
}

// Adds what a file has to what is known of those before.
arrow::Status AddColumns(const InputFile& file, const parquet::FileMetaData* metadata, const std::string& first_file,
                         const std::string& id_column, RowInputs* records) {
  ARROW_ASSIGN_OR_RAISE(const auto schema, ReadSchema(file, metadata, id_column, *records));
  ARROW_RETURN_NOT_OK(CheckNamesDiffer(*schema));
  if (records->schema != nullptr) {
    ARROW_ASSIGN_OR_RAISE(records->schema, Together(*records->schema, first_file, *schema));
    return arrow::Status::OK();
  }
  records->schema = schema;
  ARROW_RETURN_NOT_OK(CheckIdColumn(*schema, id_column));
  const arrow::Status text = CheckTextColumn(*schema, records->text_column);
  return text.ok() ? text
                   : text.WithMessage(text.message(), "; name the texts' column by ", records->formats.column_option);
}

// The splits of a file behind those before.
void AddSplits(const InputFile& file, const std::shared_ptr<parquet::FileMetaData>& metadata, RowFormat format,
               const std::string& delimiter, std::vector<RowSplit>* splits) {
  int64_t row = 0;  // -1: not known
  if (!splits->empty()) {
    const RowSplit& last = splits->back();
    row = last.first_row < 0 ? -1 : last.first_row + last.metadata->RowGroup(last.row_group)->num_rows();
  }
  if (format == RowFormat::kText && CanBeReadInParts(file, delimiter)) {
    for (int64_t begin = 0; begin == 0 || begin < file.size; begin += kTextPartBytes) {
      const int64_t bytes = std::min(kTextPartBytes, file.size - begin);
      splits->push_back({{&file, nullptr, 0, bytes, begin}, format, {}, -1});
    }
    return;
  }
  for (Split& split : SplitsOf(file, metadata)) {
    if (metadata == nullptr) row = -1;
    splits->push_back({std::move(split), format, LanguageOf(file.name), row});
    if (row >= 0) row += metadata->RowGroup(splits->back().row_group)->num_rows();
  }
}

}  // namespace

RowFormat RowFormats::Of(const std::string& name) const {
  if (all) return *all;
  if (IsParquet(name)) return RowFormat::kParquet;
  const auto ends = [&name](std::string_view ending) {
    return name.ends_with(ending) || name.ends_with(std::string(ending) + ".gz") ||
           name.ends_with(std::string(ending) + ".zst");
  };
  if (ends(".txt")) return RowFormat::kText;
  return ends(".jsonl") || ends(".json") ? RowFormat::kJson : other;
}

arrow::Result<RowInputs> FindRows(const std::vector<InputFile>& inputs, const std::string& text_column,
                                  const std::string& id_column, const ReaderMemory& memory, const RowFormats& formats) {
  RowInputs records;
  records.text_column = text_column;
  records.formats = formats;
  records.memory = memory;
  bool lines = false;
  bool texts = false;
  arrow::Status empty;                      // of the first file without an object
  const InputFile* first = nullptr;         // that has columns
  const InputFile* without_rows = nullptr;  // the first
  std::shared_ptr<parquet::FileMetaData> its_metadata;
  if (inputs.empty()) records.schema = NoDocuments(text_column, id_column);
  for (const InputFile& file : inputs) {
    std::shared_ptr<parquet::FileMetaData> metadata;
    const RowFormat format = formats.Of(file.name);
    if (format == RowFormat::kParquet) {
      ARROW_ASSIGN_OR_RAISE(metadata, ReadParquetMetadata(file));
      // As of a part of which nothing passed: its columns are no other file's.
      if (metadata->num_rows() == 0) {
        if (without_rows == nullptr) its_metadata = metadata;
        without_rows = without_rows == nullptr ? &file : without_rows;
        continue;
      }
    }
    const bool is_text = format == RowFormat::kText;
    if (first != nullptr && is_text != texts) {  // beside plain text there is nothing else
      return arrow::Status::Invalid(file.name, is_text ? ": is plain text, and " : ": is no plain text, and ",
                                    first->name, is_text ? " is not" : " is");
    }
    texts |= is_text;
    if (is_text) {
      records.schema = TextSchema(text_column);
    } else if (metadata != nullptr || records.schema == nullptr) {
      const std::string& name = first == nullptr ? file.name : first->name;
      const arrow::Status unlike = AddColumns(file, metadata.get(), name, id_column, &records);
      const bool is_empty = metadata == nullptr && unlike.IsKeyError();
      if (is_empty && empty.ok()) {
        empty = NamingFile(file, arrow::Status::Invalid(unlike.message()), arrow::Status::OK());
      }
      if (!is_empty) ARROW_RETURN_NOT_OK(NamingFile(file, unlike, arrow::Status::OK()));
    }
    if (first == nullptr && records.schema != nullptr) first = &file;
    lines |= format == RowFormat::kJson;
    AddSplits(file, metadata, format, formats.delimiter, &records.splits);
    records.language_of_path |= format != RowFormat::kText && !LanguageOf(file.name).empty();
  }
  if (records.schema == nullptr && without_rows != nullptr) {
    const arrow::Status unlike = AddColumns(*without_rows, its_metadata.get(), without_rows->name, id_column, &records);
    ARROW_RETURN_NOT_OK(NamingFile(*without_rows, unlike, arrow::Status::OK()));
    records.language_of_path = !LanguageOf(without_rows->name).empty();
  }
  if (records.schema == nullptr) return empty;
  if (lines) records.schema = Nullable(*records.schema);
  records.language_of_path &= records.schema->GetFieldIndex("language") < 0;
  if (records.language_of_path) {
    ARROW_ASSIGN_OR_RAISE(records.schema, records.schema->AddField(records.schema->num_fields(),
                                                                   arrow::field("language", arrow::utf8(), false)));
  }
  return records;
}

arrow::Status ReadRows(const RowInputs& inputs, const RowSplit& split,
                       const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use,
                       const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  arrow::Status used;  // an error of the caller needs no file name
  const auto guarded = [&](const std::shared_ptr<arrow::RecordBatch>& batch) { return used = use(batch); };
  const arrow::Status status = split.format == RowFormat::kParquet ? ReadParquet(inputs, split, guarded)
                               : split.format == RowFormat::kText  ? ReadText(inputs, split, guarded, bad)
                                                                   : ReadJson(inputs, split, guarded, bad);
  return NamingFile(*split.file, status, used);
}

arrow::Status ReadColumns(const RowInputs& inputs, const RowSplit& split, const std::vector<std::string>& columns,
                          const std::function<arrow::Status(const arrow::RecordBatch&)>& use,
                          const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  if (split.format != RowFormat::kParquet) {
    return ReadRows(inputs, split, [&use](const auto& batch) { return use(*batch); }, bad);
  }
  RowGroupOptions options = {.columns = {}, .memory = inputs.memory};
  for (const std::string& column : columns) options.columns.push_back(PlaceInParquet(*split.metadata, column));
  arrow::Status used;
  const auto guarded = [&](const arrow::RecordBatch& batch) { return used = use(batch); };
  const arrow::Status status = ReadRowGroup(*split.file, split.metadata, split.row_group, options, guarded);
  return NamingFile(*split.file, status, used);
}

QuarantinedRecord BadText(const RowInputs& inputs, const RowSplit& split, const arrow::RecordBatch& batch, int64_t row,
                          int64_t in_batch) {
  const auto& texts = static_cast<const arrow::StringArray&>(*batch.GetColumnByName(inputs.text_column));
  const std::string_view text = texts.GetView(in_batch);
  return {split.file->name, row + in_batch, static_cast<int64_t>(text.size()), "no-utf8",
          std::string(text.substr(0, size_t{1} << 20))};
}

}  // namespace uzushio
