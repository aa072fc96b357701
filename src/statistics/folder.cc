#include "statistics/folder.h"

#include <arrow/array.h>
#include <fmt/format.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "base/json.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/output_files.h"
#include "datasets/parquet_file.h"
#include "storage/local_files.h"
#include "storage/stored_names.h"

namespace uzushio {
namespace {

// What the names of an output on a store have in them; empty: those of others.
std::string NameHashOf(const InputFile& file) {
  const nlohmann::json& hash = file.manifest == nullptr ? nlohmann::json() : MemberOf(file.manifest->mark, kNameHash);
  return hash.is_string() ? hash.get<std::string>() : "";
}

// Where an output has its intermediate statistics, below its folder: today, before, and on a store.
std::vector<std::string> PlacesOfIntermediate(const std::string& hash) {
  std::vector<std::string> places = {kIntermediateFile.path, kIntermediateFile.old_path};
  if (!hash.empty()) places.push_back(StoredName(kIntermediateFile.path, hash));
  return places;
}

// What an output on a store would have in its names if a file's is of one: the folder behind the hidden one.
std::string FolderInHidden(const std::string& name) {
  const std::string hidden = std::string("/") + kOwnFolder + "/";
  const size_t found = name.rfind(hidden);
  if (found == std::string::npos) return "";
  const size_t begin = found + hidden.size();
  return name.substr(begin, name.find('/', begin) - begin);
}

// Written in one file, or in a folder of that name with many, around which a file of it has no manifest.
bool IsIntermediateFile(const InputFile& file) {
  return std::ranges::any_of(PlacesOfIntermediate(FolderInHidden(file.name)),
                             [&file](const std::string& place) { return file.name.find(place) != std::string::npos; });
}

}  // namespace

std::shared_ptr<arrow::Schema> StatisticsSchema() {
  return arrow::schema({arrow::field("hash", arrow::int64(), false), arrow::field("reprHash", arrow::int64(), false),
                        arrow::field("exactFreq", arrow::int32(), false),
                        arrow::field("nearFreq", arrow::int32(), false)});
}

std::shared_ptr<arrow::Schema> IntermediateSchema() {
  return arrow::schema(
      {arrow::field("hash", arrow::int64(), false), arrow::field("givenReprHash", arrow::int64(), false),
       arrow::field("exactFreq", arrow::int32(), false), arrow::field("givenNearFreq", arrow::int32(), false),
       arrow::field("text", arrow::utf8(), false)});
}

int32_t GivenNearFreq(uint32_t count, uint32_t given_near) {
  return static_cast<int32_t>(std::min<uint64_t>(uint64_t{count} + given_near, INT32_MAX));
}

int32_t FrequencyOf(int64_t count) {
  return static_cast<int32_t>(std::clamp<int64_t>(count, 0, std::numeric_limits<int32_t>::max()));
}

arrow::Status ForEachEntry(const arrow::RecordBatch& statistics,
                           const std::function<arrow::Status(const FrequencyEntry&)>& use) {
  ARROW_ASSIGN_OR_RAISE(const auto hashes, IntegerColumn(statistics, "hash"));
  ARROW_ASSIGN_OR_RAISE(const auto exact, IntegerColumn(statistics, "exactFreq"));
  ARROW_ASSIGN_OR_RAISE(const auto near, IntegerColumn(statistics, "nearFreq"));
  for (int64_t row = 0; row < statistics.num_rows(); ++row) {
    if (near->Value(row) <= 1) continue;
    ARROW_RETURN_NOT_OK(use({hashes->Value(row), FrequencyOf(exact->Value(row)), FrequencyOf(near->Value(row))}));
  }
  return arrow::Status::OK();
}

bool IsIntermediate(const arrow::Schema& schema) { return schema.GetFieldIndex("givenReprHash") >= 0; }

arrow::Status CheckStatistics(const arrow::Schema& schema, bool intermediate) {
  const auto wanted = intermediate ? IntermediateSchema() : StatisticsSchema();
  for (const auto& field : wanted->fields()) {
    if (field->name() == kGivenNearFreq && schema.GetFieldIndex(kGivenNearFreq) < 0) continue;
    const arrow::Status found =
        IsTextual(*field->type()) ? CheckTextColumn(schema, field->name()) : CheckIntegerColumn(schema, field->name());
    if (!found.ok()) return found.WithMessage("these are no statistics: ", found.message());
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<Split>> FindStatistics(const std::vector<InputFile>& inputs) {
  std::vector<Split> splits;
  for (const InputFile& file : inputs) {
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
    ARROW_ASSIGN_OR_RAISE(const auto schema, ParquetColumns(*metadata));
    const arrow::Status found = CheckStatistics(*schema, IsIntermediateFile(file));
    if (!found.ok()) return found.WithMessage(file.name, ": ", found.message());
    for (int i = 0; i < metadata->num_row_groups(); ++i) {
      splits.push_back({&file, metadata, i, metadata->RowGroup(i)->total_compressed_size()});
    }
  }
  return splits;
}

// The folder of statistics that a file is of: it lies in it, or in a folder of the file's name; empty: of none.
std::string FolderOfStatistics(const InputFile& file) {
  const std::string name = file.uri();
  const std::string hash = NameHashOf(file);
  const size_t slash = name.rfind('/');
  std::string folder = slash == std::string::npos ? "." : name.substr(0, std::max<size_t>(slash, 1));
  if (name.substr(slash + 1) == kStatisticsFile) return folder;
  if (!hash.empty() && name.substr(slash + 1) == StoredName(kStatisticsFile, hash)) return folder;
  const size_t above = folder.rfind('/');
  return above != std::string::npos && folder.substr(above + 1) == kStatisticsFile ? folder.substr(0, above) : "";
}

arrow::Result<std::vector<InputFile>> ResolveStatistics(const std::vector<std::string>& arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ResolveInputs(arguments, kParquetSuffixes));
  std::vector<std::string> names;
  std::map<std::string, std::string> intermediate;  // by folder; empty: there is none
  for (const InputFile& file : files) {
    const std::string folder = FolderOfStatistics(file);
    auto known = intermediate.find(folder);
    if (known == intermediate.end()) {
      std::string found;
      for (const std::string& name : PlacesOfIntermediate(NameHashOf(file))) {
        if (folder.empty() || !found.empty()) continue;
        std::string path = fmt::format("{}/{}", folder, name);
        ARROW_ASSIGN_OR_RAISE(const InputPlace place, LocateInput(path));
        ARROW_ASSIGN_OR_RAISE(const auto info, place.filesystem->GetFileInfo(place.path));
        if (info.IsFile() || info.IsDirectory()) found = std::move(path);
      }
      known = intermediate.emplace(folder, std::move(found)).first;
    }
    names.push_back(known->second.empty() ? file.uri() : known->second);
  }
  // Each is there as it is named.
  return ResolveInputs(names, kParquetSuffixes);
}

arrow::Result<std::shared_ptr<FrequencyIndex>> OpenStatistics(const std::string& statistics, const std::string& tmp) {
  if (statistics.empty()) return nullptr;
  const auto output = OutputFiles::Find(statistics);
  if (!output.ok()) return output.status().WithMessage("--stats ", output.status().message());
  const auto files = LocalFiles::Of(*output, kFrequencyIndexName, tmp);
  if (!files.ok()) return files.status().WithMessage("--stats ", files.status().message());
  ARROW_ASSIGN_OR_RAISE(const bool there, PathExists(files->path()));
  if (!there) {
    return arrow::Status::Invalid("--stats ", output->name(), ": there is no ", kFrequencyIndexName.path,
                                  " in it; make one by uzushio merge ", output->name(), " --output DIR");
  }
  auto index = FrequencyIndex::Open(files->path());
  if (!index.ok()) return files->About(index.status());
  return index;
}

nlohmann::json StatisticsIdentity(const FrequencyIndex* index) {
  return index == nullptr ? nlohmann::json() : nlohmann::json(fmt::format("{:016x}", index->checksum()));
}

}  // namespace uzushio
