#include "datasets/text_reader.h"

#include <arrow/array.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/compressed.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "datasets/columns.h"
#include "datasets/parquet_file.h"
#include "storage/line_reader.h"

namespace uzushio {

const std::vector<std::string_view> kTextSuffixes = {".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".json.gz",
                                                     ".json",    ".txt",   ".txt.gz",   ".txt.zst"};

namespace {

constexpr int64_t kBlockBytes = int64_t{1} << 20;

bool IsPlainText(const std::string& name) {
  return name.ends_with(".txt") || name.ends_with(".txt.gz") || name.ends_with(".txt.zst");
}

std::string Message(const InputFile& file, const arrow::Status& status) { return file.name + ": " + status.message(); }

arrow::Result<std::shared_ptr<parquet::FileMetaData>> ReadMetadata(const InputFile& file,
                                                                   const TextReaderOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto metadata, ReadParquetMetadata(file));
  ARROW_ASSIGN_OR_RAISE(const auto schema, ParquetColumns(*metadata));
  const arrow::Status found = CheckTextColumn(*schema, options.column);
  if (found.ok()) return metadata;
  return found.WithMessage(file.name, ": ", found.message(), "; name the texts' column by --text-column");
}

arrow::Status ReadParquet(const Piece& piece, const TextReaderOptions& options,
                          const std::function<arrow::Status(std::string_view)>& use) {
  return ReadRowGroup(*piece.file, piece.metadata, piece.row_group,
                      {.columns = {PlaceInParquet(*piece.metadata, options.column)}, .memory = options.memory},
                      [&](const arrow::RecordBatch& batch) { return ForEachText(batch.column(0), use); });
}

arrow::Status ReadJsonLines(const Piece& piece, const TextReaderOptions& options,
                            const std::function<arrow::Status(std::string_view)>& use,
                            const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  LineReader lines(*piece.file, options.max_line_bytes, options.memory);
  while (true) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines.Next(&cut));
    if (!line) return arrow::Status::OK();
    if (line->empty() && !cut) continue;
    const char* reason = cut ? "line-too-long" : nullptr;
    if (reason == nullptr) {
      const nlohmann::json json = nlohmann::json::parse(*line, nullptr, false);
      const auto text = json.is_object() ? json.find(options.column) : json.end();
      if (json.is_discarded()) {
        reason = "no-json";
      } else if (!json.is_object() || text == json.end() || !(text->is_string() || text->is_null())) {
        reason = "no-text";
      } else {
        ARROW_RETURN_NOT_OK(use(text->is_null() ? std::string_view() : text->get_ref<const std::string&>()));
      }
    }
    if (reason != nullptr) {
      ARROW_RETURN_NOT_OK(bad(
          {piece.file->name, lines.offset(), lines.length(), reason, std::string(line->substr(0, size_t{1} << 20))}));
    }
  }
}

// Lines up to an empty one, handed on in pieces where they are too many.
arrow::Status ReadPlainText(const Piece& piece, const TextReaderOptions& options,
                            const std::function<arrow::Status(std::string_view)>& use, int64_t* cuts) {
  LineReader lines(*piece.file, options.max_text_bytes);
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

arrow::Result<std::vector<Piece>> FindTextPieces(const std::vector<InputFile>& inputs,
                                                 const TextReaderOptions& options) {
  std::vector<Piece> pieces;
  for (const InputFile& file : inputs) {
    if (!IsParquet(file.name)) {
      pieces.push_back({&file, nullptr, 0, file.size});
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadMetadata(file, options));
    const int groups = metadata->num_row_groups();
    for (int i = 0; i < groups; ++i) pieces.push_back({&file, metadata, i, file.size / groups});
  }
  return pieces;
}

arrow::Status ReadTexts(const Piece& piece, const TextReaderOptions& options,
                        const std::function<arrow::Status(std::string_view)>& use,
                        const std::function<arrow::Status(QuarantinedRecord)>& bad, int64_t* cuts) {
  arrow::Status used;  // an error of the caller needs no file name
  const auto guarded = [&](std::string_view text) { return used = use(text); };
  const arrow::Status status = piece.metadata != nullptr       ? ReadParquet(piece, options, guarded)
                               : IsPlainText(piece.file->name) ? ReadPlainText(piece, options, guarded, cuts)
                                                               : ReadJsonLines(piece, options, guarded, bad);
  if (status.ok() || !used.ok()) return used.ok() ? status : used;
  return status.WithMessage(Message(*piece.file, status));
}

}  // namespace uzushio
