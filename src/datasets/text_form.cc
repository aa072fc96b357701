#include "datasets/text_form.h"

#include <utility>

#include "datasets/dataset.h"
#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/output_names.h"
#include "storage/store_place.h"

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
  if (IsOnStore(name)) {
    ARROW_ASSIGN_OR_RAISE(const InputPlace place, LocateInput(name));
    const auto manifest = ManifestCache().Around(place.filesystem, place.path);
    if (!manifest.ok() || *manifest == nullptr) return arrow::Status::OK();
    return Add((*manifest)->mark, WithoutCredentials(name));
  }
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
