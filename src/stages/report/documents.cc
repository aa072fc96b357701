#include "stages/report/documents.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "datasets/row_reader.h"
#include "storage/hashed_file.h"
#include "storage/nearest_folder.h"

namespace uzushio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStagesOfDocuments[] = {"extract", "filter", "minhash", "clean", "decontaminate"};

// Where stages put what is not removed when they keep both apart, and what lies beside it.
constexpr std::string_view kParted[] = {kPassedFolder, "dedup/"};

bool IsHidden(const std::string& path) {
  return std::ranges::any_of(fs::path(path), [](const fs::path& part) {
    return part.native().starts_with('_') || part.native().starts_with('.');
  });
}

bool HasSuffix(const std::string& path) {
  return std::ranges::any_of(kDocumentSuffixes, [&path](std::string_view suffix) { return path.ends_with(suffix); });
}

// The files of documents that are in the output, below its folder.
std::vector<std::string> DocumentPaths(const std::vector<WrittenFile>& files) {
  std::vector<std::string> paths;
  for (const WrittenFile& file : files) {
    if (!IsHidden(file.path) && HasSuffix(file.path)) paths.push_back(file.path);
  }
  for (const std::string_view parted : kParted) {
    const auto is_in = [parted](const std::string& path) { return path.starts_with(parted); };
    if (std::ranges::any_of(paths, is_in)) std::erase_if(paths, std::not_fn(is_in));
  }
  // Where nothing passed, there is only what was removed.
  std::erase_if(paths, [](const std::string& path) {
    return path.starts_with(kReasonFolder) && !path.starts_with(kPassedFolder);
  });
  return paths;
}

std::string ColumnOr(const ReportOutput& output, const char* key, const char* standard) {
  const nlohmann::json& column = MemberOf(output.configuration(), key);
  return column.is_string() ? column.get<std::string>() : standard;
}

// The names of the inputs of a run, as its mark has them.
std::vector<std::string> InputsOf(const ReportOutput& output) {
  std::vector<std::string> names;
  const nlohmann::json& inputs = MemberOf(MemberOf(output.mark, "run"), "inputs");
  if (!inputs.is_array()) return names;
  for (const nlohmann::json& input : inputs) {
    const nlohmann::json& name = MemberOf(input, "name");
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

// Outputs by their folders without links.
using OutputsByFolder = std::map<fs::path, const ReportOutput*>;

arrow::Result<OutputsByFolder> FoldersOf(const std::vector<ReportOutput>& outputs) {
  OutputsByFolder folders;
  for (const ReportOutput& output : outputs) {
    ARROW_ASSIGN_OR_RAISE(fs::path folder, OneNameOf(output.place()));
    folders.try_emplace(std::move(folder), &output);
  }
  return folders;
}

// The output that a path without links lies in, the nearest one, or null.
const ReportOutput* OutputWith(const fs::path& path, const OutputsByFolder& folders) {
  const auto found = FindNearestFolder(folders, path);
  return found == folders.end() ? nullptr : found->second;
}

bool HasStatistics(const ReportOutput& output) { return output.stage == "stats" || output.stage == "merge"; }

// What statistics were made of.
struct Sources {
  std::vector<const ReportOutput*> outputs;  // of documents
  std::set<fs::path> documents;              // files of them that were read
  std::set<fs::path> statistics;             // that were merged
};

// Adds what an output was made of; false: something is not among the outputs, or was counted twice.
arrow::Result<bool> AddSources(const ReportOutput& of, const OutputsByFolder& outputs,
                               std::set<const ReportOutput*>* seen, Sources* sources) {
  const std::vector<std::string> inputs = InputsOf(of);
  for (const std::string& input : inputs) {
    ARROW_ASSIGN_OR_RAISE(const fs::path path, OneNameOf(input));
    const ReportOutput* source = OutputWith(path, outputs);
    if (source == nullptr || source == &of) return false;
    std::set<fs::path>& files = HasStatistics(*source) ? sources->statistics : sources->documents;
    if (!files.insert(path).second) return false;
    if (!seen->insert(source).second) continue;
    if (HasStatistics(*source)) {
      ARROW_ASSIGN_OR_RAISE(const bool all, AddSources(*source, outputs, seen, sources));
      if (!all) return false;
    } else {
      sources->outputs.push_back(source);
    }
  }
  return !inputs.empty();
}

}  // namespace

bool IsOfDocuments(const ReportOutput& output) {
  return std::ranges::find(kStagesOfDocuments, output.stage) != std::end(kStagesOfDocuments);
}

arrow::Result<std::optional<CorpusConfig>> DocumentsOf(const ReportOutput& output) {
  if (!IsOfDocuments(output)) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const auto written, ReadWrittenFiles(output.mark));
  CorpusConfig documents;
  documents.name = output.name;
  documents.text_column = ColumnOr(output, "output_column", "");  // of `filter`, which may rename it
  if (documents.text_column.empty()) documents.text_column = ColumnOr(output, "text_column", "text");
  documents.url_column = ColumnOr(output, "url_column", "url");
  std::string missing;
  for (const std::string& path : DocumentPaths(written)) {
    ARROW_ASSIGN_OR_RAISE(const auto file, output.At(path));
    if (file != nullptr) {
      documents.files.push_back(*file);
    } else if (missing.empty()) {
      missing = path;
    }
  }
  if (documents.files.empty()) return std::nullopt;
  if (missing.empty()) return documents;
  return arrow::Status::Invalid(output.name, ": ", missing,
                                ", which its mark lists, is not there, and others are; run ", "uzushio ", output.stage,
                                " again");
}

arrow::Result<std::optional<CorpusConfig>> DocumentsBehind(const ReportOutput& statistics,
                                                           const std::vector<ReportOutput>& outputs) {
  ARROW_ASSIGN_OR_RAISE(const OutputsByFolder folders, FoldersOf(outputs));
  std::set<const ReportOutput*> seen = {&statistics};
  Sources sources;
  ARROW_ASSIGN_OR_RAISE(const bool all, AddSources(statistics, folders, &seen, &sources));
  if (!all) return std::nullopt;
  std::optional<CorpusConfig> together;
  for (const ReportOutput* source : sources.outputs) {
    ARROW_ASSIGN_OR_RAISE(auto documents, DocumentsOf(*source));
    if (!documents) return std::nullopt;
    for (const InputFile& file : documents->files) {
      ARROW_ASSIGN_OR_RAISE(const fs::path path, OneNameOf(file.name));
      if (sources.documents.erase(path) == 0) return std::nullopt;  // the statistics are of a part
    }
    if (!together) {
      together = std::move(documents);
      continue;
    }
    if (together->text_column != documents->text_column || together->url_column != documents->url_column) {
      return std::nullopt;  // they can not be read as one
    }
    together->files.insert(together->files.end(), documents->files.begin(), documents->files.end());
  }
  if (!sources.documents.empty()) return std::nullopt;  // these are of a part, as of what passed a filter
  return together;
}

}  // namespace uzushio
