#include "io/text_reader.h"

#include <arrow/array.h>
#include <arrow/filesystem/localfs.h>
#include <arrow/io/compressed.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>
#include <parquet/metadata.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/parallel.h"
#include "io/columns.h"
#include "io/line_reader.h"
#include "io/output_folder.h"
#include "io/parquet_file.h"

namespace uzushio {

const std::vector<std::string_view> kTextSuffixes = {".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".json.gz",
                                                     ".json",    ".txt",   ".txt.gz",   ".txt.zst"};

namespace {

constexpr int64_t kBatchRows = 256;
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

arrow::Status ReadParquet(const TextPiece& piece, const TextReaderOptions& options,
                          const std::function<arrow::Status(std::string_view)>& use) {
  return ReadRowGroup(*piece.file, piece.metadata, piece.row_group, {PlaceInParquet(*piece.metadata, options.column)},
                      kBatchRows, [&](const arrow::RecordBatch& batch) { return ForEachText(batch.column(0), use); });
}

arrow::Status ReadJsonLines(const TextPiece& piece, const TextReaderOptions& options,
                            const std::function<arrow::Status(std::string_view)>& use,
                            const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  LineReader lines(*piece.file, options.max_line_bytes);
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

arrow::Status ReadPlainText(const TextPiece& piece, const TextReaderOptions& options,
                            const std::function<arrow::Status(std::string_view)>& use) {
  LineReader lines(*piece.file, options.max_line_bytes);
  std::string paragraph;
  while (true) {
    bool cut = false;
    ARROW_ASSIGN_OR_RAISE(const auto line, lines.Next(&cut));
    if (cut) return arrow::Status::Invalid("a line of more than ", options.max_line_bytes >> 20, " MiB");
    if (line && !line->empty()) {
      if (!paragraph.empty()) paragraph += '\n';
      paragraph += *line;
      continue;
    }
    if (!paragraph.empty()) ARROW_RETURN_NOT_OK(use(paragraph));
    paragraph.clear();
    if (!line) return arrow::Status::OK();
  }
}

// --- datasets ---

namespace fs = std::filesystem;

// What the marks of a folder say.
struct Marks {
  fs::path folder;
  std::map<std::string, std::pair<int64_t, std::string>>
      files;  // size and XXH64, if there is one, by path in the folder
};

arrow::Result<Marks> ReadMarks(const fs::path& folder) {
  Marks marks{folder, {}};
  std::ifstream stream(folder / kSuccessMark);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (json.is_discarded()) return arrow::Status::IOError((folder / kSuccessMark).string(), ": not readable");
  const auto files = json.find("files");
  if (files == json.end() || !files->is_array()) return marks;
  for (const nlohmann::json& file : *files) {
    if (file.contains("path") && file.contains("bytes")) {
      marks.files[file["path"].get<std::string>()] = {file["bytes"].get<int64_t>(), file.value("xxh64", "")};
    }
  }
  return marks;
}

// An empty checksum is not checked.
arrow::Status CheckFile(const fs::path& path, int64_t bytes, const std::string& xxh64) {
  const auto damaged = [&path](const char* what) {
    return arrow::Status::IOError(path.string(), ": ", what, " is not what ", kSuccessMark,
                                  " says; the file is damaged");
  };
  std::error_code error;
  if (static_cast<int64_t>(fs::file_size(path, error)) != bytes || error) return damaged("its size");
  if (xxh64.empty()) return arrow::Status::OK();
  std::ifstream stream(path, std::ios::binary);
  std::vector<char> block(static_cast<size_t>(kBlockBytes));
  XXH64_state_t* state = XXH64_createState();
  XXH64_reset(state, 0);
  while (stream.read(block.data(), kBlockBytes), stream.gcount() > 0) {
    XXH64_update(state, block.data(), static_cast<size_t>(stream.gcount()));
  }
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016" PRIx64, static_cast<uint64_t>(XXH64_digest(state)));
  XXH64_freeState(state);
  return hex.data() == xxh64 ? arrow::Status::OK() : damaged("its XXH64");
}

}  // namespace

arrow::Result<std::vector<TextPiece>> FindTextPieces(const std::vector<InputFile>& inputs,
                                                     const TextReaderOptions& options) {
  std::vector<TextPiece> pieces;
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

arrow::Status ReadTexts(const TextPiece& piece, const TextReaderOptions& options,
                        const std::function<arrow::Status(std::string_view)>& use,
                        const std::function<arrow::Status(QuarantinedRecord)>& bad) {
  arrow::Status used;  // an error of the caller needs no file name
  const auto guarded = [&](std::string_view text) { return used = use(text); };
  const arrow::Status status = piece.metadata != nullptr       ? ReadParquet(piece, options, guarded)
                               : IsPlainText(piece.file->name) ? ReadPlainText(piece, options, guarded)
                                                               : ReadJsonLines(piece, options, guarded, bad);
  if (status.ok() || !used.ok()) return used.ok() ? status : used;
  return status.WithMessage(Message(*piece.file, status));
}

arrow::Status CheckDatasets(const std::vector<InputFile>& inputs, bool allow_incomplete, int threads) {
  constexpr int kMaxLevels = 3;  // of folders between a file and its dataset's
  std::map<fs::path, Marks> datasets;
  struct Check {
    fs::path path;
    int64_t bytes;
    std::string xxh64;
  };
  std::vector<Check> checks;
  for (const InputFile& file : inputs) {
    if (file.filesystem->type_name() != "local") continue;
    const fs::path path = fs::absolute(file.path).lexically_normal();
    fs::path folder = path.parent_path();
    for (int level = 0; level < kMaxLevels && folder.has_relative_path(); ++level, folder = folder.parent_path()) {
      if (fs::exists(folder / kIncompleteMark) && !allow_incomplete) {
        return arrow::Status::Invalid(folder.string(),
                                      ": this output is not complete; run its stage again, or read it ",
                                      "as it is by --allow-incomplete");
      }
      if (!fs::exists(folder / kSuccessMark)) continue;
      auto marks = datasets.find(folder);
      if (marks == datasets.end()) {
        ARROW_ASSIGN_OR_RAISE(Marks read, ReadMarks(folder));
        marks = datasets.emplace(folder, std::move(read)).first;
      }
      const auto known = marks->second.files.find(path.lexically_relative(folder).generic_string());
      if (known != marks->second.files.end()) checks.push_back({path, known->second.first, known->second.second});
      break;
    }
  }
  return ParallelFor(std::max(1, threads), checks.size(), [&](int, size_t i) {
    return CheckFile(checks[i].path, checks[i].bytes, threads == 0 ? "" : checks[i].xxh64);
  });
}

}  // namespace uzushio
