#include "datasets/marks.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "storage/hashed_file.h"
#include "storage/local_files.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

// What the marks of a folder say.
struct Marks {
  fs::path folder;
  std::map<std::string, WrittenFile> files;  // by path in the folder
};

arrow::Result<Marks> ReadMarks(const fs::path& folder, TextForms* forms) {
  Marks marks{folder, {}};
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json json, ReadJsonObject(folder / kSuccessMark));
  const auto files = ReadWrittenFiles(json);
  if (!files.ok()) {
    return arrow::Status::Invalid((folder / kSuccessMark).string(), ": damaged: ", files.status().message());
  }
  for (const WrittenFile& file : *files) marks.files[file.path] = file;
  ARROW_RETURN_NOT_OK(forms->Add(json, folder.string()));
  return marks;
}

}  // namespace

arrow::Status CheckDatasets(const std::vector<InputFile>& inputs, bool allow_incomplete, int threads,
                            TextForms* forms) {
  constexpr int kMaxLevels = 3;  // of folders between a file and its dataset's
  std::map<fs::path, Marks> datasets;
  struct Check {
    fs::path folder;
    WrittenFile file;
  };
  std::vector<Check> checks;
  for (const InputFile& file : inputs) {
    if (file.filesystem->type_name() != "local") continue;
    ARROW_ASSIGN_OR_RAISE(const fs::path path, AbsolutePath(file.path));
    fs::path folder = path.parent_path();
    for (int level = 0; level < kMaxLevels && folder.has_relative_path(); ++level, folder = folder.parent_path()) {
      ARROW_ASSIGN_OR_RAISE(const bool incomplete, PathExists(folder / kIncompleteMark));
      if (incomplete && !allow_incomplete) {
        return arrow::Status::Invalid(folder.string(),
                                      ": this output is not complete; run its stage again, or read it ",
                                      "as it is by --allow-incomplete");
      }
      ARROW_ASSIGN_OR_RAISE(const bool marked, PathExists(folder / kSuccessMark));
      if (!marked) continue;
      auto marks = datasets.find(folder);
      if (marks == datasets.end()) {
        ARROW_ASSIGN_OR_RAISE(Marks read, ReadMarks(folder, forms));
        marks = datasets.emplace(folder, std::move(read)).first;
      }
      const auto known = marks->second.files.find(path.lexically_relative(folder).generic_string());
      if (known != marks->second.files.end()) checks.push_back({folder, known->second});
      break;
    }
  }
  return ParallelFor(std::max(1, threads), checks.size(), [&](int, size_t i) {
    WrittenFile& file = checks[i].file;
    if (threads == 0) file.xxh64.clear();  // only sizes
    return CheckWrittenFile(checks[i].folder, file);
  });
}

nlohmann::json InputNames(const std::vector<InputFile>& inputs) {
  nlohmann::json names = nlohmann::json::array();
  for (const InputFile& input : inputs) names.push_back({{"name", input.name}, {"bytes", input.size}});
  return names;
}

}  // namespace uzushio
