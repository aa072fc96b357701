#include "stages/report/sections.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "stages/report/corpus.h"
#include "stages/report/documents.h"
#include "stages/report/groups.h"
#include "stages/report/overlaps.h"

namespace uzushio {
namespace {

constexpr const char* kOverlapTable = "overlap.parquet";

// How a run goes through documents.
void SetResources(const ReportConfig& config, CorpusConfig* documents) {
  documents->tmp = config.tmp;
  documents->threads = config.threads;
  documents->memory = config.memory;
}

// What the mark says of the texts of the documents that were written; null where it does not. Bytes of `extract` are
// those of the markup, too.
void TellSizes(const ReportOutput& output, nlohmann::json* corpus) {
  const nlohmann::json& passed = MemberOf(output.counts(), "passed");
  const nlohmann::json& counts = passed.is_object() ? passed : output.counts();
  if (output.stage == "minhash") return;  // which counts those that went, too
  for (const auto& [key, counted] : {std::pair("characters", "characters"), {"bytes", "text_bytes"}}) {
    if (output.stage == "extract" && std::string_view(key) == "bytes") continue;
    const nlohmann::json& size = MemberOf(counts, counted);
    if (size.is_number_integer()) (*corpus)[key] = size;
  }
}

arrow::Status AddCorpus(const ReportConfig& config, const ReportOutput& output,
                        const std::function<void(double)>& on_progress, nlohmann::json* data) {
  ARROW_ASSIGN_OR_RAISE(auto documents, DocumentsOf(output));
  if (!documents) return arrow::Status::OK();
  SetResources(config, &*documents);
  ARROW_ASSIGN_OR_RAISE(nlohmann::json corpus, CorpusOf(*documents, on_progress));
  TellSizes(output, &corpus);
  (*data)["corpora"].push_back(std::move(corpus));
  return arrow::Status::OK();
}

arrow::Status AddGroups(const ReportConfig& config, const ReportOutput& output,
                        const std::function<void(double)>& on_progress, nlohmann::json* data) {
  if (output.stage != "stats" && output.stage != "merge") return arrow::Status::OK();
  GroupsConfig groups;
  groups.name = output.name;
  groups.folder = output.place();
  groups.tmp = config.tmp;
  groups.threads = config.threads;
  groups.memory = config.memory;
  ARROW_ASSIGN_OR_RAISE(groups.documents, DocumentsBehind(output, config.outputs));
  if (groups.documents) SetResources(config, &*groups.documents);
  ARROW_ASSIGN_OR_RAISE(nlohmann::json told, GroupsOf(groups, on_progress));
  // Those that the table lacks, too, as they occur once.
  const nlohmann::json& distinct = MemberOf(output.counts(), "distinct_paragraphs");
  if (distinct.is_number_integer()) told["paragraphs"] = distinct;
  (*data)["groups"].push_back(std::move(told));
  return arrow::Status::OK();
}

arrow::Status AddOverlap(const ReportOutput& output, nlohmann::json* data) {
  if (output.stage != "overlap") return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const OutputFiles::Named table, output.Find({kOverlapTable, kOverlapTable}));
  if (table.files.empty()) {
    return arrow::Status::Invalid(output.name, "/", kOverlapTable, ": no such file; run uzushio overlap again");
  }
  ARROW_ASSIGN_OR_RAISE(nlohmann::json overlap, OverlapOf(output.name, table.files.front()));
  (*data)["overlap"].push_back(std::move(overlap));
  return arrow::Status::OK();
}

}  // namespace

arrow::Status AddSections(const ReportConfig& config, const ReportProgress& on_progress, nlohmann::json* data) {
  for (const char* key : {"corpora", "groups", "overlap"}) (*data)[key] = nlohmann::json::array();
  const auto outputs = static_cast<double>(config.outputs.size());
  for (size_t i = 0; i < config.outputs.size(); ++i) {
    const ReportOutput& output = config.outputs[i];
    const auto progress = [&](double done) { on_progress((static_cast<double>(i) + done) / outputs, output.name); };
    ARROW_RETURN_NOT_OK(AddCorpus(config, output, progress, data));
    ARROW_RETURN_NOT_OK(AddGroups(config, output, progress, data));
    ARROW_RETURN_NOT_OK(AddOverlap(output, data));
  }
  for (const char* key : {"groups", "overlap"}) {
    if ((*data)[key].empty()) (*data)[key] = nullptr;
  }
  return arrow::Status::OK();
}

}  // namespace uzushio
