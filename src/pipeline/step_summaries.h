// What the steps of a pipeline said when they were run: `_summary.json` in the output folder.
#pragma once

#include <arrow/result.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "pipeline/change_log.h"

namespace uzushio {

inline constexpr const char* kPipelineSummaries = "_summary.json";

class StepSummaries {
 public:
  // Nothing is known.
  explicit StepSummaries(const std::filesystem::path& folder);
  // Errors: it is damaged.
  static arrow::Result<StepSummaries> Read(const std::filesystem::path& folder);

  // Of a step, by its folder; null: nothing is known.
  const nlohmann::json& Of(const std::string& step) const;
  // On the disk on return.
  arrow::Status Set(const std::string& step, const nlohmann::json& summary);
  // Puts what was set into the file.
  arrow::Status Save();
  bool empty() const { return steps_.empty(); }
  // All of it, as in the file.
  nlohmann::json Whole() const;

 private:
  void Take(const nlohmann::json& steps);

  nlohmann::json steps_ = nlohmann::json::object();
  ChangeLog log_;
};

}  // namespace uzushio
