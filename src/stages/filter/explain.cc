#include "stages/filter/explain.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/scalar.h>
#include <fmt/format.h>

#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/output_files.h"
#include "datasets/row_reader.h"
#include "document/text_lines.h"
#include "filters/chain.h"
#include "stages/filter/kernel.h"
#include "stages/filter/walk_through.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"

namespace uzushio {
namespace {

// A batch of one row: the document.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> FindDocument(const RowInputs& records, const std::string& id_column,
                                                                const std::string& doc_id, int threads) {
  std::mutex mutex;
  std::shared_ptr<arrow::RecordBatch> document;
  ARROW_RETURN_NOT_OK(ParallelFor(threads, records.splits.size(), [&](int, size_t split) {
    return ReadRows(
        records, records.splits[split],
        [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
          ARROW_ASSIGN_OR_RAISE(const auto ids, IdColumn(*batch, id_column));
          if (ids == nullptr) return arrow::Status::Invalid("the documents have no column '", id_column, "'");
          for (int64_t row = 0; row < ids->length(); ++row) {
            if (ids->IsNull(row) || ids->GetView(row) != doc_id) continue;
            const std::lock_guard lock(mutex);
            if (document == nullptr) document = batch->Slice(row, 1);
          }
          return arrow::Status::OK();
        },
        [](const QuarantinedRecord&) { return arrow::Status::OK(); });
  }));
  if (document == nullptr) return arrow::Status::Invalid("there is no document ", doc_id, " in the inputs of this run");
  return document;
}

// Its other columns, one after another; lines of a value stand below one another.
std::string Origin(const arrow::RecordBatch& document, const std::string& text_column) {
  std::string text;
  for (int i = 0; i < document.num_columns(); ++i) {
    if (document.column_name(i) == text_column) continue;
    const auto scalar = document.column(i)->GetScalar(0);
    if (!scalar.ok() || !(*scalar)->is_valid) continue;
    const std::string value = (*scalar)->ToString();
    std::string heading = fmt::format("  {:<10} ", document.column_name(i));
    ForEachLine(value, [&](std::string_view line) {
      text += fmt::format("{}{}\n", heading, line);
      heading.assign(heading.size(), ' ');
    });
  }
  return text;
}

// What the mark of an output says of the run.
struct FilterRunMark {
  nlohmann::json filters;
  std::string statistics;
  std::vector<std::string> inputs;
  FilterKernelOptions options;
  RowFormats formats;
};

arrow::Result<FilterRunMark> ReadRun(const std::string& folder) {
  const auto output = OutputFiles::Find(folder);
  if (!output.ok()) return output.status().WithMessage("--in ", output.status().message());
  const auto mark = output->Mark();
  const nlohmann::json stage = mark.ok() ? MemberOf(MemberOf(*mark, "run"), "stage") : nlohmann::json();
  if (stage != "filter" && stage != "decontaminate") {
    return arrow::Status::Invalid("--in ", output->name(), ": no output of uzushio filter or decontaminate");
  }
  FilterRunMark run;
  try {
    const nlohmann::json& configuration = mark->at("run").at("configuration");
    run.filters = configuration.at("filters");
    run.statistics = configuration.value("statistics", std::string());
    for (const nlohmann::json& input : mark->at("run").at("inputs")) {
      run.inputs.push_back(input.at("name").get<std::string>());
    }
    run.options.text_column = configuration.at("text_column").get<std::string>();
    run.options.id_column = configuration.at("id_column").get<std::string>();
    run.options.is_plain = configuration.value("is_plain", false);
    if (run.options.is_plain) run.formats.other = RowFormat::kText;
    run.formats.delimiter = configuration.value("input_delimiter", std::string(kEmptyLine));
    if (const auto format = configuration.find("input_format"); format != configuration.end()) {
      run.formats.all = static_cast<RowFormat>(format->get<int>());
    }
  } catch (const nlohmann::json::exception& error) {
    return arrow::Status::Invalid("--in ", output->name(), ": its manifest is damaged: ", error.what());
  }
  return run;
}

}  // namespace

arrow::Result<std::string> ExplainDocument(const std::string& folder, const std::string& doc_id, int threads,
                                           int64_t memory) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  ARROW_ASSIGN_OR_RAISE(const FilterRunMark run, ReadRun(folder));
  ARROW_ASSIGN_OR_RAISE(const auto chain, FilterChain::Make(run.filters));
  ARROW_RETURN_NOT_OK(chain->CheckComparesNothing("explain looks at one"));
  ARROW_ASSIGN_OR_RAISE(const auto index, OpenStatistics(run.statistics));
  ARROW_ASSIGN_OR_RAISE(const auto inputs, ResolveInputs(run.inputs, {}));
  const FilterKernelOptions& options = run.options;
  ARROW_ASSIGN_OR_RAISE(const RowInputs records, FindRows(inputs, options.text_column, options.id_column,
                                                          PlanFilter(memory, threads).reader, run.formats));
  ARROW_ASSIGN_OR_RAISE(const auto row, FindDocument(records, options.id_column, doc_id, threads));
  FilterKernel kernel(*chain, index.get(), options);
  ARROW_ASSIGN_OR_RAISE(const auto documents, kernel.Documents(*row));
  const size_t paragraphs = documents[0].paragraphs().size();  // before filters make others of them
  ARROW_ASSIGN_OR_RAISE(const std::string walk, WalkThrough(*chain, &documents[0]));
  return fmt::format("document {}\n{}  {} paragraphs\n{}", doc_id, Origin(*row, options.text_column), paragraphs, walk);
}

}  // namespace uzushio
