#include "datasets/dataset_check.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "base/parallel.h"
#include "datasets/dataset.h"
#include "storage/hashed_file.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

std::string FolderOfFile(const std::string& path) { return fs::path(path).parent_path().string(); }

}  // namespace

arrow::Status CheckDatasets(const std::vector<InputFile>& inputs, bool allow_incomplete, int threads,
                            TextForms* forms) {
  ManifestCache manifests;
  std::set<const Manifest*> seen;
  struct Check {
    fs::path folder;
    WrittenFile file;
  };
  std::vector<Check> checks;
  for (const InputFile& file : inputs) {
    std::shared_ptr<const Manifest> manifest = file.manifest;
    if (manifest == nullptr) {
      if (!allow_incomplete) {
        ARROW_ASSIGN_OR_RAISE(const std::string incomplete, manifests.IncompleteAround(file));
        if (!incomplete.empty()) return NotComplete(incomplete, ", or read it as it is by --allow-incomplete");
      }
      ARROW_ASSIGN_OR_RAISE(manifest, manifests.Around(file.filesystem, FolderOfFile(file.path)));
    }
    if (manifest == nullptr) continue;
    if (seen.insert(manifest.get()).second) ARROW_RETURN_NOT_OK(forms->Add(manifest->mark, manifest->name));
    const WrittenFile* listed = FindListed(*manifest, file.path);
    // On a store files are there before their manifest is: the mark of this was looked for before the manifest.
    if (listed != nullptr && file.manifest == nullptr && !IsOfLocalFiles(*file.filesystem)) {
      return arrow::Status::IOError(file.name, ": is of an output that was completed while its files were looked for; ",
                                    "run this again");
    }
    if (listed != nullptr && IsOfLocalFiles(*file.filesystem)) checks.push_back({manifest->folder, *listed});
  }
  return ParallelFor(std::max(1, threads), checks.size(), [&](int, size_t i) {
    WrittenFile& file = checks[i].file;
    if (!file.footer_xxh64.empty()) return CheckFooter(checks[i].folder, file);  // pages are checked when they are read
    if (threads == 0) file.xxh64.clear();                                        // only sizes
    return CheckWrittenFile(checks[i].folder, file);
  });
}

nlohmann::json InputNames(const std::vector<InputFile>& inputs) {
  nlohmann::json names = nlohmann::json::array();
  for (const InputFile& input : inputs) names.push_back({{"name", input.name}, {"bytes", input.size}});
  return names;
}

nlohmann::json IdentityOfRun(const char* stage, const std::vector<InputFile>& inputs,
                             const nlohmann::json& configuration) {
  return {
      {"stage", stage}, {"version", UZUSHIO_VERSION}, {"inputs", InputNames(inputs)}, {"configuration", configuration}};
}

nlohmann::json InputContents(const std::vector<InputFile>& inputs) {
  nlohmann::json contents = InputNames(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const WrittenFile* const listed = inputs[i].manifest ? FindListed(*inputs[i].manifest, inputs[i].path) : nullptr;
    if (listed != nullptr) contents[i]["xxh64"] = listed->xxh64;
  }
  return contents;
}

}  // namespace uzushio
