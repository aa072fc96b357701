// Documents with all their columns: Parquet of any program, JSON Lines; or plain text.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_plan.h"
#include "datasets/quarantine_writer.h"
#include "datasets/split.h"
#include "datasets/text_documents.h"
#include "storage/inputs.h"

namespace uzushio {

// What datasets of documents are called, for ResolveInputs; files of plain text have to be named.
extern const std::vector<std::string_view> kDocumentSuffixes;

enum class RowFormat : uint8_t { kParquet, kJson, kText };

// How to read files.
struct RowFormats {
  std::optional<RowFormat> all;        // what all are; else their endings tell
  RowFormat other = RowFormat::kJson;  // files of other endings
  std::string delimiter{kEmptyLine};   // of documents in plain text

  std::string column_option = "--text-column";  // which names the column of texts

  RowFormat Of(const std::string& name) const;
};

struct RowSplit : Split {
  RowFormat format = RowFormat::kParquet;
  std::string language;    // of `language=LL` in the path; else empty
  int64_t first_row = -1;  // in the dataset; -1 where it is not known, after JSON Lines
};

struct RowInputs {
  std::vector<RowSplit> splits;
  std::shared_ptr<arrow::Schema> schema;  // of all splits; texts are utf8
  bool language_of_path = false;          // the last column is the language in the path
  std::string text_column;
  RowFormats formats;
  ReaderMemory memory;  // of a thread; no bound where it is 0
};

// The splits, and the columns that all files have, in the order of the first. Of JSON Lines, they are the keys of the
// objects at the beginning of the first file. Types that say the same (datasets/columns.h) are taken for each other.
// The column `text_column` must be there and hold texts; `id_column` may be there, with ids. Errors name the file, the
// column and the types. Plain text has the one column of texts, and stands beside nothing else.
arrow::Result<RowInputs> FindRows(const std::vector<InputFile>& inputs, const std::string& text_column,
                                  const std::string& id_column, const ReaderMemory& memory = {},
                                  const RowFormats& formats = {});

// Reads a split in batches of some MiB. `bad` gets lines that are no JSON, lack the text, or have other columns, and
// documents of plain text that are too long. What the memory has no room for is an error that says how much would do.
arrow::Status ReadRows(const RowInputs& inputs, const RowSplit& split,
                       const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& use,
                       const std::function<arrow::Status(QuarantinedRecord)>& bad);

// The same where some columns, of the files, are all that is wanted: of Parquet no others are read.
arrow::Status ReadColumns(const RowInputs& inputs, const RowSplit& split, const std::vector<std::string>& columns,
                          const std::function<arrow::Status(const arrow::RecordBatch&)>& use,
                          const std::function<arrow::Status(QuarantinedRecord)>& bad);

// The row `in_batch` of a batch of these, whose text is no UTF-8; its place is the row's number in the split. `row` is
// that of the batch's first.
QuarantinedRecord BadText(const RowInputs& inputs, const RowSplit& split, const arrow::RecordBatch& batch, int64_t row,
                          int64_t in_batch);

}  // namespace uzushio
