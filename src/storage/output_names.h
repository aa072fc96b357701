// Where things lie in an output folder. In the eyes of other programs it has its rows and nothing else: what a run
// writes besides is in the hidden folder `.uzushio` (docs/formats.md, "Reading an output", has a table of what they
// read).
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace uzushio {

// A file or folder of a run's own, below its output folder.
struct OutputName {
  const char* path;
  const char* old_path;  // where earlier versions wrote it
};

inline constexpr const char* kOwnFolder = ".uzushio";
inline constexpr OutputName kManifestName = {".uzushio/manifest.json", "_SUCCESS.json"};
inline constexpr const char* kQuarantineFolder = ".uzushio/quarantine/";
// What Parquet files in it end with: DuckDB, polars and datatrove look for `*.parquet` in hidden folders, too.
inline constexpr const char* kOwnParquetEnding = ".pq";
// In a folder as long as it is not complete.
inline constexpr const char* kIncompleteMark = "_INCOMPLETE";

// The place of a run's own in a local output folder: where earlier versions wrote it, or, of a copy of an output on a
// store, what it is called there (storage/stored_names.h), if it is there and not at its place of today.
arrow::Result<std::filesystem::path> FindInOutput(const std::filesystem::path& folder, const OutputName& name);

// Whether the manifest of a run is in a local folder; and what it says. Errors: those of ReadJsonObject.
arrow::Result<bool> HasManifest(const std::filesystem::path& folder);
arrow::Result<nlohmann::json> ReadManifestOf(const std::filesystem::path& folder);
// The finished output that a local folder is, or else the nearest one that it lies in; empty: there is none.
std::filesystem::path FinishedOutputAround(const std::filesystem::path& folder);

}  // namespace uzushio
