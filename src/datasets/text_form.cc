#include "datasets/text_form.h"

#include <utility>

#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/output_names.h"

namespace uzushio {
namespace {

constexpr const char* kTextForm = "text";

}  // namespace

arrow::Status TextForms::Add(const nlohmann::json& mark, const std::string& name) {
  if (!mark.is_object()) return arrow::Status::OK();
  const auto found = mark.find(kTextForm);
  if (found == mark.end() || !found->is_string()) return arrow::Status::OK();
  const auto form = found->get<std::string>();
  if (form_.empty()) {
    form_ = form;
    name_ = name;
  }
  if (form == form_) return arrow::Status::OK();
  return arrow::Status::Invalid(name_, " is of --text ", form_, ", and ", name, " of --text ", form,
                                ": their texts can not be compared; extract both in one form");
}

arrow::Status TextForms::AddOutput(const std::string& name) {
  constexpr int kMostLevels = 4;
  std::filesystem::path folder = PathOfName(name);
  for (int level = 0; level <= kMostLevels && !folder.empty(); ++level, folder = folder.parent_path()) {
    if (!seen_.insert(folder).second) break;
    const auto mark = ReadManifestOf(folder);
    if (mark.ok()) return Add(*mark, folder.string());  // who reads the folder says what else it lacks
  }
  return arrow::Status::OK();
}

nlohmann::json TextForms::Mark(nlohmann::json mark) const {
  if (!form_.empty()) mark[kTextForm] = form_;
  return mark;
}

}  // namespace uzushio
