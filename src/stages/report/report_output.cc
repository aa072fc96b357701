#include "stages/report/report_output.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json.h"
#include "datasets/parquet_file.h"
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

arrow::Result<std::unique_ptr<InputFile>> ReportOutput::At(const std::string& path) const {
  if (stored != nullptr) return stored->At(path);
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(folder / path));
  if (!there) return nullptr;
  ARROW_ASSIGN_OR_RAISE(InputFile file, OpenInput(NameOfPath((folder / path).string())));
  return std::make_unique<InputFile>(std::move(file));
}

arrow::Result<OutputFiles::Named> ReportOutput::Find(const OutputName& of) const {
  if (stored != nullptr) return stored->Find(of, kParquetSuffixes);
  OutputFiles::Named named;
  ARROW_ASSIGN_OR_RAISE(const fs::path path, FindInOutput(folder, of));
  ARROW_ASSIGN_OR_RAISE(named.is_folder, IsFolder(path));
  std::vector<std::string> names = {""};
  if (named.is_folder) {
    ARROW_ASSIGN_OR_RAISE(names, ListFolder(path));
    std::ranges::sort(names);
    std::erase_if(names, [](const std::string& name) {
      return !IsParquet(name) || name.starts_with('.') || name.starts_with('_');
    });
  } else {
    ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(path));
    if (!there) names.clear();
  }
  for (const std::string& name : names) {
    const fs::path file = name.empty() ? path : path / name;
    ARROW_ASSIGN_OR_RAISE(named.files.emplace_back(), OpenInput(NameOfPath(file.string())));
  }
  return named;
}

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
  ReportOutput output;
  ARROW_ASSIGN_OR_RAISE(const OutputFiles files, OutputFiles::Find(folder));
  output.name = files.name();
  while (output.name.size() > 1 && output.name.ends_with('/')) output.name.pop_back();
  if (files.is_on_store()) {
    output.stored = std::make_shared<OutputFiles>(files);
    output.uri = folder;
  } else {
    output.folder = folder;
    ARROW_ASSIGN_OR_RAISE(const bool is_output, HasManifest(output.folder));
    if (!is_output) return NoOutput(output.name, output.folder);
    ARROW_ASSIGN_OR_RAISE(const bool is_incomplete, PathExists(output.folder / kIncompleteMark));
    if (is_incomplete) return NoOutput(output.name, output.folder);
  }
  ARROW_ASSIGN_OR_RAISE(output.mark, files.Mark());
  const nlohmann::json& stage = MemberOf(MemberOf(output.mark, "run"), "stage");
  if (!stage.is_string()) {
    return arrow::Status::Invalid(output.name, ": its manifest is none of uzushio: it names no stage");
  }
  output.stage = stage.get<std::string>();
  if (!output.counts().is_object()) return output.Damaged("no counts");
  return output;
}

}  // namespace uzushio
