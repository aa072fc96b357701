// Outputs of stages, as their marks tell of them, for `uzushio report`.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace uzushio {

struct ReportOutput {
  std::string name;  // as it was given
  std::filesystem::path folder;
  std::string stage;    // that wrote it: extract, filter, metrics, …
  nlohmann::json mark;  // the manifest
  // Of its run, where that is known.
  std::optional<double> seconds;
  std::optional<int64_t> threads;
  std::optional<int64_t> peak_memory;  // bytes

  const nlohmann::json& counts() const;
  const nlohmann::json& configuration() const;
  // Of a mark that has not what it should have.
  arrow::Status Damaged(const std::string& what) const;
  // A number of `json`, a part of the mark. Errors: there is none, or it is below 0.
  arrow::Result<int64_t> Number(const nlohmann::json& json, const char* key) const;
};

// Errors: `folder` has no mark of a run that is complete; they say what is there.
arrow::Result<ReportOutput> OpenReportOutput(const std::string& folder);

}  // namespace uzushio
