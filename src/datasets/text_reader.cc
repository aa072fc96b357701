#include "datasets/text_reader.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <parquet/metadata.h>

#include <algorithm>

#include "datasets/columns.h"
#include "datasets/json_lines.h"
#include "datasets/parquet_file.h"
#include "storage/line_reader.h"
#include "storage/output_names.h"

namespace uzushio {

const std::vector<std::string_view> kTextSuffixes = {".parquet", kOwnParquetEnding, ".jsonl", ".jsonl.gz", ".jsonl.zst",
                                                     ".json.gz", ".json",           ".txt",   ".txt.gz",   ".txt.zst"};

namespace {

bool IsPlainText(const std::string& name) {
  return name.ends_with(".txt") || name.ends_with(".txt.gz") || name.ends_with(".txt.zst");
}

arrow::Result<std::shared_ptr<parquet::FileMetaData>> ReadMetadata(const InputFile& file,
                                                                   const TextReaderOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto metadata, ReadParquetMetadata(file));
  ARROW_ASSIGN_OR_RAISE(const auto schema, ParquetColumns(*metadata));
  const arrow::Status found = CheckTextColumn(*schema, options.column);
  if (found.ok()) return metadata;
  return found.WithMessage(file.name, ": ", found.message(), "; name the texts' column by --text-column");
}

arrow::Status ReadParquet(const Split& split, const TextReaderOptions& options,
                          const std::function<arrow::Status(std::string_view)>& use) {
  return ReadRowGroup(*split.file, split.metadata, split.row_group,
                      {.columns = {PlaceInParquet(*split.metadata, options.column)}, .memory = options.memory},
                      [&](const arrow::RecordBatch& batch) { return ForEachText(batch.column(0), use); });
}

arrow::Status ReadJson(const Split& split, const TextReaderOptions& options,
                       const std::function<arrow::Status(std::string_view)>& use,
                       const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  const auto use_text = [&](const JsonObject& object) -> arrow::Result<const char*> {
    const JsonField* text = object.Find(options.column);
    if (text == nullptr || (text->kind != JsonField::Kind::kText && text->kind != JsonField::Kind::kNull)) {
      return "no-text";
    }
    ARROW_RETURN_NOT_OK(use(text->text));
    return nullptr;
  };
  return ForEachJsonLine(*split.file, options.memory, "no-text", use_text, bad);
}

// Lines up to an empty one, handed on in pieces where they are too many.
arrow::Status ReadPlainText(const Split& split, const TextReaderOptions& options,
                            const std::function<arrow::Status(std::string_view)>& use, int64_t* cuts) {
  LineReader lines(*split.file, options.max_text_bytes);
  std::string paragraph;
  const auto hand_on = [&]() -> arrow::Status {
    if (!paragraph.empty()) ARROW_RETURN_NOT_OK(use(paragraph));
    paragraph.clear();
    return arrow::Status::OK();
  };
  bool inside = false;  // of a line that was cut: what is left of it may be empty
  while (true) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines.NextPiece(&cut));
    if (!line || (line->empty() && !inside)) {
      ARROW_RETURN_NOT_OK(hand_on());
      if (!line) return arrow::Status::OK();
      continue;
    }
    const bool fits = !cut && paragraph.size() + 1 + line->size() <= options.max_text_bytes;
    if (!paragraph.empty() && !fits) {
      ++*cuts;
      ARROW_RETURN_NOT_OK(hand_on());
    }
    if (!paragraph.empty()) paragraph += '\n';
    paragraph += *line;
    if (cut) {
      ++*cuts;
      ARROW_RETURN_NOT_OK(hand_on());
    }
    inside = cut;
  }
}

}  // namespace

arrow::Result<std::vector<Split>> FindTextSplits(const std::vector<InputFile>& inputs,
                                                 const TextReaderOptions& options) {
  std::vector<Split> splits;
  for (const InputFile& file : inputs) {
    std::shared_ptr<parquet::FileMetaData> metadata;
    if (IsParquet(file.name)) {
      ARROW_ASSIGN_OR_RAISE(metadata, ReadMetadata(file, options));
    }
    std::ranges::move(SplitsOf(file, metadata), std::back_inserter(splits));
  }
  return splits;
}

arrow::Status ReadTexts(const Split& split, const TextReaderOptions& options,
                        const std::function<arrow::Status(std::string_view)>& use,
                        const std::function<arrow::Status(QuarantinedRecord)>& bad, int64_t* cuts) {
  arrow::Status used;  // an error of the caller needs no file name
  const auto guarded = [&](std::string_view text) { return used = use(text); };
  const arrow::Status status = split.metadata != nullptr       ? ReadParquet(split, options, guarded)
                               : IsPlainText(split.file->name) ? ReadPlainText(split, options, guarded, cuts)
                                                               : ReadJson(split, options, guarded, bad);
  return NamingFile(*split.file, status, used);
}

}  // namespace uzushio
