// Sources of a comparison of two corpora, opened, and their columns.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "datasets/row_reader.h"
#include "stages/report/diff_sides.h"
#include "stages/report/document_join.h"

namespace uzushio {

struct OpenSource {
  const DiffSource* source = nullptr;
  const DiffSide* side = nullptr;
  JoinSource kind;
  RowInputs rows;

  bool Has(const std::string& column) const { return rows.schema->GetFieldIndex(column) >= 0; }
  const std::string& NameColumn(bool by_url) const { return by_url ? source->url_column : source->id_column; }
  // The columns of these that the source has, each once.
  std::vector<std::string> ColumnsOf(const std::vector<std::string>& wanted) const;
};

// Of both sides, in their order, which have to outlive them. Errors name a file, its column and the type: ids and URLs
// are texts or integers.
arrow::Result<std::vector<OpenSource>> OpenSources(const DiffSide& a, const DiffSide& b, const ReaderMemory& memory);

// Names of a column, of which integers are decimals; null where there is no such column.
arrow::Result<std::shared_ptr<arrow::StringArray>> NamesOf(const arrow::RecordBatch& batch, const std::string& column);
// Texts of a column; null where there is none that has texts.
arrow::Result<std::shared_ptr<arrow::StringArray>> TextsOf(const arrow::RecordBatch& batch, const std::string& column);
// The text of a row; empty where it is null, or the column.
std::string_view TextAt(const std::shared_ptr<arrow::StringArray>& texts, int64_t row);

}  // namespace uzushio
