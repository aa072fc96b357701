#include "stages/report/diff_sides.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "datasets/parquet_file.h"
#include "datasets/row_reader.h"
#include "stages/report/documents.h"
#include "storage/hashed_file.h"
#include "storage/nearest_folder.h"
#include "storage/percent_text.h"

namespace uzushio {
namespace {

constexpr std::string_view kDuplicatesReason = "duplicate";

// Why the rows of a file were removed; nothing: it has no rows that were.
std::optional<std::string> ReasonOf(const ReportOutput& output, const std::string& path) {
  if (!std::ranges::any_of(kDocumentSuffixes, [&path](auto suffix) { return path.ends_with(suffix); }) &&
      !IsParquet(path)) {
    return std::nullopt;
  }
  if (output.stage == "minhash") {
    const bool is_in = path.starts_with("dup/") || path.find("duplicates/") != std::string::npos;
    return is_in ? std::optional<std::string>(kDuplicatesReason) : std::nullopt;
  }
  if (!path.starts_with(kReasonFolder) || path.starts_with(kPassedFolder)) return std::nullopt;
  const size_t end = path.find('/');
  if (end == std::string::npos) return std::nullopt;
  return PercentDecoded(std::string_view(path).substr(kReasonFolder.size(), end - kReasonFolder.size()));
}

// The place of a reason among those of the chain, and its filter, where the mark tells.
struct ReasonInChain {
  size_t place = 0;
  std::optional<std::string> filter;
};

ReasonInChain FindInChain(const ReportOutput& output, const std::string& reason) {
  const nlohmann::json& removed = MemberOf(output.counts(), "removed");
  if (!removed.is_array()) return {};
  const auto found =
      std::ranges::find_if(removed, [&](const nlohmann::json& one) { return MemberOf(one, "reason") == reason; });
  ReasonInChain in_chain = {static_cast<size_t>(found - removed.begin()), std::nullopt};
  if (found == removed.end()) return in_chain;
  const nlohmann::json& step = MemberOf(*found, "step");
  const nlohmann::json& filters = MemberOf(output.configuration(), "filters");
  if (!step.is_number_unsigned() || !filters.is_array() || step.get<size_t>() >= filters.size()) return in_chain;
  const nlohmann::json& filter = MemberOf(filters[step.get<size_t>()], "class");
  if (filter.is_string()) in_chain.filter = filter.get<std::string>();
  return in_chain;
}

// What an output has removed, in the order of its chain. Files that are not there any more say nothing.
arrow::Result<std::vector<DiffSource>> RemovedBy(const ReportOutput& output, const DiffSource& kept) {
  ARROW_ASSIGN_OR_RAISE(const auto written, ReadWrittenFiles(output.mark));
  std::map<std::pair<size_t, std::string>, DiffSource> removed;
  for (const WrittenFile& file : written) {
    const auto reason = ReasonOf(output, file.path);
    if (!reason) continue;
    ARROW_ASSIGN_OR_RAISE(const auto there, output.At(file.path));
    if (there == nullptr) continue;
    const ReasonInChain in_chain = FindInChain(output, *reason);
    DiffSource& source = removed.try_emplace({in_chain.place, *reason}, kept).first->second;
    if (!source.reason) source.files.clear();
    source.reason = reason;
    source.filter = in_chain.filter;
    source.files.push_back(*there);
  }
  std::vector<DiffSource> sources;
  sources.reserve(removed.size());
  for (auto& [place, source] : removed) sources.push_back(std::move(source));
  return sources;
}

}  // namespace

arrow::Result<DiffSide> DiffSideOf(const std::vector<ReportOutput>& outputs, const std::string& option) {
  DiffSide side;
  const ReportOutput* without = nullptr;  // the last that should have documents
  for (const ReportOutput& output : outputs) {
    ARROW_ASSIGN_OR_RAISE(auto documents, DocumentsOf(output));
    if (!documents && IsOfDocuments(output)) without = &output;
    if (!documents) continue;
    without = nullptr;
    ARROW_ASSIGN_OR_RAISE(side.folder, OneNameOf(output.place()));
    DiffSource kept;
    kept.files = std::move(documents->files);
    kept.output = side.outputs.size();
    kept.text_column = documents->text_column;
    kept.url_column = documents->url_column;
    const nlohmann::json& id = MemberOf(output.configuration(), "id_column");
    if (id.is_string()) kept.id_column = id.get<std::string>();
    ARROW_ASSIGN_OR_RAISE(auto removed, RemovedBy(output, kept));
    side.outputs.push_back(output.name);
    side.stages.push_back(output.stage);
    for (DiffSource& source : removed) side.sources.push_back(std::move(source));
    side.sources.push_back(std::move(kept));
  }
  if (without != nullptr) {
    return arrow::Status::Invalid(option, ": ", without->name, " has no documents to compare: none passed, or the ",
                                  "files that its manifest lists are not there; name an output that has some");
  }
  if (!side.outputs.empty()) return side;
  return arrow::Status::Invalid(option,
                                ": has no documents to compare; name an output of extract, filter, minhash, clean or "
                                "decontaminate, or the folder of a run");
}

}  // namespace uzushio
