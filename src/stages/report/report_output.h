// Outputs of stages, as their marks tell of them, for `uzushio report`.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "datasets/output_files.h"

namespace uzushio {

struct ReportOutput {
  std::string name;                           // as it was given; of a store without credentials
  std::filesystem::path folder;               // where it is local
  std::shared_ptr<const OutputFiles> stored;  // where it is on a store; else null
  std::string uri;                            // likewise, as it was given
  std::string stage;                          // that wrote it: extract, filter, metrics, …
  nlohmann::json mark;                        // the manifest
  // Of its run, where that is known.
  std::optional<double> seconds;
  std::optional<int64_t> threads;
  std::optional<int64_t> peak_memory;  // bytes

  const nlohmann::json& counts() const;
  const nlohmann::json& configuration() const;
  // What finds it again: the path, or the URI.
  std::string place() const { return stored == nullptr ? folder.string() : uri; }
  // The file at a path below it, as the mark lists it; null: it is not there.
  arrow::Result<std::unique_ptr<InputFile>> At(const std::string& path) const;
  // Its file of this name, or the files in a folder of that name which are Parquet; none: it is not there.
  arrow::Result<OutputFiles::Named> Find(const OutputName& of) const;
  // Of a mark that has not what it should have.
  arrow::Status Damaged(const std::string& what) const;
  // A number of `json`, a part of the mark. Errors: there is none, or it is below 0.
  arrow::Result<int64_t> Number(const nlohmann::json& json, const char* key) const;
};

// Of a folder, or a URI of a store. Errors: it has no mark of a run that is complete; they say what is there.
arrow::Result<ReportOutput> OpenReportOutput(const std::string& folder);

}  // namespace uzushio
