#include "stages/report/open_sources.h"

#include <algorithm>

#include "datasets/columns.h"

namespace uzushio {
namespace {

// Errors: URLs of the source are neither texts nor integers.
arrow::Status CheckUrls(const OpenSource& opened) {
  const std::string& column = opened.source->url_column;
  if (!opened.Has(column)) return arrow::Status::OK();
  const arrow::DataType& type = *opened.rows.schema->GetFieldByName(column)->type();
  if (IsTextual(type) || arrow::is_integer(type.id())) return arrow::Status::OK();
  const std::vector<RowSplit>& splits = opened.rows.splits;
  const std::string& file = splits.empty() ? opened.source->files.front().name : splits.front().file->name;
  return arrow::Status::Invalid(file, ": column '", column, "' is of type ", type.ToString(),
                                ", and URLs are texts or integers; convert it to texts, or remove it");
}

}  // namespace

std::vector<std::string> OpenSource::ColumnsOf(const std::vector<std::string>& wanted) const {
  std::vector<std::string> columns;
  for (const std::string& name : wanted) {
    if (Has(name) && std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  }
  return columns;
}

arrow::Result<std::vector<OpenSource>> OpenSources(const DiffSide& a, const DiffSide& b, const ReaderMemory& memory) {
  std::vector<OpenSource> opened;
  for (const DiffSide* side : {&a, &b}) {
    for (const DiffSource& source : side->sources) {
      OpenSource& one = opened.emplace_back();
      one.source = &source;
      one.side = side;
      one.kind = {.is_second = side == &b, .is_corpus = &source == &side->sources.back()};
      ARROW_ASSIGN_OR_RAISE(one.rows, FindRows(source.files, source.text_column, source.id_column, memory));
      ARROW_RETURN_NOT_OK(CheckUrls(one));
    }
  }
  return opened;
}

arrow::Result<std::shared_ptr<arrow::StringArray>> NamesOf(const arrow::RecordBatch& batch, const std::string& column) {
  if (batch.schema()->GetFieldIndex(column) < 0) return nullptr;
  return IdColumn(batch, column);
}

arrow::Result<std::shared_ptr<arrow::StringArray>> TextsOf(const arrow::RecordBatch& batch, const std::string& column) {
  if (!CheckTextColumn(*batch.schema(), column).ok()) return nullptr;
  return TextColumn(batch, column);
}

std::string_view TextAt(const std::shared_ptr<arrow::StringArray>& texts, int64_t row) {
  return texts == nullptr || texts->IsNull(row) ? std::string_view() : texts->GetView(row);
}

}  // namespace uzushio
