// Which form the texts of datasets have: stages do not take one form beside the other.
#pragma once

#include <arrow/status.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace uzushio {

// The form of what a run reads, as the marks of datasets say it under `text`: "original" or "shown" (extract's --text);
// empty where none says it, as of files that others made.
class TextForms {
 public:
  // Takes what a mark says; `name` is what the mark is of. Errors: it says another form than one before.
  arrow::Status Add(const nlohmann::json& mark, const std::string& name);

  // Takes what the mark of an output says: of the folder of this name, or of the nearest one around, three up at most.
  // `name` as inputs are named.
  arrow::Status AddOutput(const std::string& name);

  const std::string& form() const { return form_; }

  // A mark of what is made of these texts.
  nlohmann::json Mark(nlohmann::json mark) const;

 private:
  std::string form_;
  std::string name_;                      // of what said it first
  std::set<std::filesystem::path> seen_;  // folders that AddOutput has looked at: a mark lists all files of its dataset
};

}  // namespace uzushio
