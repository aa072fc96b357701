// Extracts of documents beside a table of metrics, to look at: `.uzushio/sample.pq`.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "storage/hashed_file.h"
#include "storage/inputs.h"
#include "storage/output_names.h"

namespace uzushio {

inline constexpr OutputName kExtractsFile = {".uzushio/sample.pq", "_sample.parquet"};
inline constexpr size_t kMostExtracts = 400;
inline constexpr size_t kMostExtractName = 256;  // bytes of a path, an id or a title; what is longer is cut

// The beginning of a document. All texts are UTF-8.
struct Extract {
  struct Paragraph {
    std::string path;
    std::string text;                   // plain
    std::optional<int32_t> removed_by;  // a place in the chain
  };
  std::string doc_id;
  std::string url;                   // empty: it has none
  std::optional<std::string> title;  // where documents have titles
  bool cut = false;                  // there is more of it
  std::vector<Paragraph> paragraphs;
};

// Writes `folder`/.uzushio/sample.pq: docId and url string; title string or null; cut bool; paragraphs, a list of
// (path, text, removedBy int32 or null).
arrow::Result<WrittenFile> WriteExtracts(const std::filesystem::path& folder, const std::vector<Extract>& extracts);
// The same again, of kExtractsFile. Errors: it is no such file.
arrow::Result<std::vector<Extract>> ReadExtracts(const InputFile& file);

}  // namespace uzushio
