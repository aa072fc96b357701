#include "stages/report/report_output.h"

#include "base/json.h"
#include "storage/inputs.h"
#include "storage/local_files.h"
#include "storage/output_names.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// Outputs in a folder that is none, for an error.
std::string OutputsIn(const fs::path& folder) {
  constexpr size_t kMostNamed = 5;
  const auto entries = ListFolder(folder);
  if (!entries.ok()) return {};
  std::string names;
  size_t count = 0;
  for (const std::string& entry : *entries) {
    const auto is_output = HasManifest(folder / entry);
    if (!is_output.ok() || !*is_output || ++count > kMostNamed) continue;
    names += (names.empty() ? "; in it are " : ", ") + NameOfPath((folder / entry).string());
  }
  return names + (count > kMostNamed ? ", …" : "");
}

// Why a path is no output.
arrow::Status NoOutput(const std::string& name, const fs::path& folder) {
  constexpr const char* kWanted = "; an output of uzushio is wanted, or the folder of a uzushio run";
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(folder));
  if (!there) return arrow::Status::Invalid(name, ": there is nothing", kWanted);
  ARROW_ASSIGN_OR_RAISE(const bool is_folder, IsFolder(folder));
  if (!is_folder) return arrow::Status::Invalid(name, ": is a file", kWanted);
  ARROW_ASSIGN_OR_RAISE(const bool is_incomplete, PathExists(folder / kIncompleteMark));
  if (is_incomplete) {
    return arrow::Status::Invalid(name, ": is not complete: its run was stopped, or goes on; run it to its end first");
  }
  return arrow::Status::Invalid(name, ": has no manifest", kWanted, OutputsIn(folder));
}

}  // namespace

const nlohmann::json& ReportOutput::counts() const { return MemberOf(mark, "counts"); }

const nlohmann::json& ReportOutput::configuration() const { return MemberOf(MemberOf(mark, "run"), "configuration"); }

arrow::Status ReportOutput::Damaged(const std::string& what) const {
  return arrow::Status::Invalid(name, ": its manifest is damaged, or of another version: ", what, "; run uzushio ",
                                stage, " again");
}

arrow::Result<int64_t> ReportOutput::Number(const nlohmann::json& json, const char* key) const {
  const nlohmann::json& number = MemberOf(json, key);
  if (number.is_number_integer() && number.get<int64_t>() >= 0) return number.get<int64_t>();
  return Damaged(std::string("no number '") + key + "'");
}

arrow::Result<ReportOutput> OpenReportOutput(const std::string& folder) {
  if (folder.find("://") != std::string::npos) {
    return arrow::Status::Invalid(folder, ": a local folder is wanted; copy its files here, without the texts");
  }
  ReportOutput output;
  output.name = NameOfPath(folder);
  while (output.name.size() > 1 && output.name.ends_with('/')) output.name.pop_back();
  output.folder = folder;
  ARROW_ASSIGN_OR_RAISE(const bool is_output, HasManifest(output.folder));
  if (!is_output) return NoOutput(output.name, output.folder);
  ARROW_ASSIGN_OR_RAISE(const bool is_incomplete, PathExists(output.folder / kIncompleteMark));
  if (is_incomplete) return NoOutput(output.name, output.folder);
  ARROW_ASSIGN_OR_RAISE(output.mark, ReadManifestOf(output.folder));
  const nlohmann::json& stage = MemberOf(MemberOf(output.mark, "run"), "stage");
  if (!stage.is_string()) {
    return arrow::Status::Invalid(output.name, ": its manifest is none of uzushio: it names no stage");
  }
  output.stage = stage.get<std::string>();
  if (!output.counts().is_object()) return output.Damaged("no counts");
  return output;
}

}  // namespace uzushio
