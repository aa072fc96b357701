#include "stages/filter/filter.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/memory_plan.h"
#include "base/ordered.h"
#include "datasets/marks.h"
#include "datasets/quarantine_writer.h"
#include "datasets/row_reader.h"
#include "datasets/shard_writer.h"
#include "stages/filter/metrics.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

// What makes a run the same as another.
nlohmann::json RunIdentity(const FilterConfig& config, const FrequencyIndex* index) {
  nlohmann::json json = {{"filters", config.chain->ToJson()},        {"partitioned", config.kernel.partitioned},
                         {"keep_markup", config.kernel.keep_markup}, {"text_column", config.kernel.text_column},
                         {"id_column", config.kernel.id_column},     {"format", static_cast<int>(config.format)},
                         {"shard_bytes", config.shard_bytes}};
  if (nlohmann::json contents = config.chain->Contents(); !contents.is_null()) json["contents"] = std::move(contents);
  if (index != nullptr) {
    json["statistics"] = NameOfPath(config.statistics);
    json["statistics_checksum"] = StatisticsIdentity(index);
  }
  return {{"stage", "filter"},
          {"version", UZUSHIO_VERSION},
          {"inputs", InputNames(config.inputs)},
          {"configuration", json}};
}

// The output's folders: of what passed, then of each reason. Reasons of one name share a folder.
std::vector<std::string> FolderNames(const std::vector<std::string>& reasons, bool partitioned,
                                     std::vector<size_t>* folder_of) {
  std::vector<std::string> folders = {partitioned ? "filter=none" : ""};
  folder_of->assign(1, 0);
  for (const std::string& reason : reasons) {
    const std::string name = "filter=" + PartitionName(reason);
    const auto known = std::ranges::find(folders, name);
    folder_of->push_back(static_cast<size_t>(known - folders.begin()));
    if (known == folders.end()) folders.push_back(name);
  }
  return folders;
}

nlohmann::json Counts(const FilterResult& result) {
  nlohmann::json removed = nlohmann::json::array();
  for (size_t i = 0; i < result.reasons.size(); ++i) {
    nlohmann::json item = ToJson(result.totals.removed[i]);
    item["reason"] = result.reasons[i];
    item["step"] = result.step_of_reason[i];
    removed.push_back(std::move(item));
  }
  return {{"input", ToJson(result.totals.input)},
          {"passed", ToJson(result.totals.passed)},
          {"empty", ToJson(result.totals.empty)},
          {"removed", removed},
          {"quarantined", result.quarantined.counts()}};
}

FilterCounts FromJson(const nlohmann::json& json) {
  return {json.at("documents").get<int64_t>(), json.at("paragraphs").get<int64_t>(),
          json.at("text_bytes").get<int64_t>()};
}

// What an earlier run of the same said.
arrow::Status ReadCounts(const nlohmann::json& counts, FilterResult* result) {
  try {
    result->totals.input = FromJson(counts.at("input"));
    result->totals.passed = FromJson(counts.at("passed"));
    result->totals.empty = FromJson(counts.at("empty"));
    for (const nlohmann::json& item : counts.at("removed")) result->totals.removed.push_back(FromJson(item));
    for (const auto& [reason, count] : counts.at("quarantined").items()) {
      result->quarantined.Add(reason, count.get<int64_t>());
    }
  } catch (const nlohmann::json::exception& error) {
    return arrow::Status::Invalid("damaged counts of an earlier run: ", error.what());
  }
  result->totals.removed.resize(result->reasons.size());
  result->totals.seconds.resize(result->step_names.size());
  return arrow::Status::OK();
}

// One run's parallel part.
class FilterRun {
 public:
  FilterRun(const FilterConfig& config, const FrequencyIndex* index, const RowInputs& records,
            const KnownMetrics* known, const std::filesystem::path& work, std::vector<size_t> folder_of,
            ShardWriter* writer)
      : config_(config),
        records_(records),
        work_(work),
        folder_of_(std::move(folder_of)),
        results_(PlanFilter(config.memory, config.threads).results, [this, writer](const FilteredRows& rows) {
          return writer->Append(folder_of_[rows.outcome], *rows.batch);
        }) {
    for (int i = 0; i < config.threads; ++i) {
      kernels_.push_back(std::make_unique<FilterKernel>(*config.chain, index, config.kernel));
      if (known != nullptr) known_.emplace_back(known);
    }
    quarantined_.resize(kernels_.size());
  }

  arrow::Status Run(const std::function<void(double)>& on_progress) {
    return OrderedFor(config_.threads, records_.pieces, &results_, on_progress,
                      [this](size_t thread, size_t piece) { return FilterPiece(thread, piece); });
  }

  void AddTo(FilterResult* result) const {
    for (const auto& kernel : kernels_) result->totals.Add(kernel->totals());
    for (const Counters& counters : quarantined_) result->quarantined.Add(counters);
  }

 private:
  arrow::Status FilterPiece(size_t thread, size_t piece) {
    const RowPiece& from = records_.pieces[piece];
    QuarantineWriter quarantine(work_, fmt::format("piece-{:05}", piece));
    const auto bad = [&](const QuarantinedRecord& record) {
      quarantined_[thread].Add(record.reason);
      return quarantine.Append(record);
    };
    int64_t row = 0;
    ARROW_RETURN_NOT_OK(ReadRows(
        records_, from,
        [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
          std::vector<double> known;
          if (!known_.empty()) {
            ARROW_ASSIGN_OR_RAISE(known, known_[thread].Read(from.first_row + row, batch->num_rows()));
          }
          const auto bad_text = [&](int64_t in_batch) { return bad(BadText(records_, from, *batch, row, in_batch)); };
          ARROW_ASSIGN_OR_RAISE(auto filtered, kernels_[thread]->Filter(*batch, bad_text, known));
          row += batch->num_rows();
          for (FilteredRows& rows : filtered) {
            const int64_t bytes = arrow::util::TotalBufferSize(*rows.batch);
            ARROW_RETURN_NOT_OK(results_.Add(piece, std::move(rows), bytes));
          }
          return arrow::Status::OK();
        },
        bad));
    return quarantine.Finish();
  }

  const FilterConfig& config_;
  const RowInputs& records_;
  const std::filesystem::path& work_;
  std::vector<size_t> folder_of_;
  OrderedResults<FilteredRows> results_;
  std::vector<std::unique_ptr<FilterKernel>> kernels_;  // of each thread
  std::vector<KnownMetrics::Reader> known_;             // of each thread, or none
  std::vector<Counters> quarantined_;
};

}  // namespace

nlohmann::json ToJson(const FilterCounts& counts) {
  return {{"documents", counts.documents}, {"paragraphs", counts.paragraphs}, {"text_bytes", counts.text_bytes}};
}

arrow::Result<FilterResult> RunFilter(const FilterConfig& config, const std::function<void(double)>& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  ARROW_ASSIGN_OR_RAISE(const auto index, OpenStatistics(config.statistics));
  ARROW_ASSIGN_OR_RAISE(const RowInputs records,
                        FindRows(config.inputs, config.kernel.text_column, config.kernel.id_column,
                                 PlanFilter(config.memory, config.threads).reader));
  ARROW_RETURN_NOT_OK(FilterKernel::CheckUrls(*config.chain, *records.schema, config.kernel));

  std::unique_ptr<KnownMetrics> known;
  if (!config.metrics.empty()) {
    ARROW_ASSIGN_OR_RAISE(known, KnownMetrics::Open(config.metrics, *config.chain, config.inputs, index.get()));
    if (std::ranges::any_of(records.pieces, [](const RowPiece& piece) { return piece.first_row < 0; })) {
      return arrow::Status::Invalid("--metrics needs documents in Parquet");
    }
  }

  FilterResult result;
  result.reasons = FilterKernel::Reasons(*config.chain);
  for (const FilterChain::Step& step : config.chain->steps()) {
    result.step_of_reason.insert(result.step_of_reason.end(), step.reasons.size(), result.step_names.size());
    result.step_names.push_back(step.declaration->name);
  }
  ARROW_ASSIGN_OR_RAISE(const auto output,
                        OutputFolder::Open(config.output, RunIdentity(config, index.get()), config.overwrite));
  if (output->done()) {
    result.was_done = true;
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json counts, output->Counts());
    ARROW_RETURN_NOT_OK(ReadCounts(counts, &result));
    return result;
  }
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads));

  std::vector<size_t> folder_of;
  const auto folders = FolderNames(result.reasons, config.kernel.partitioned, &folder_of);
  ShardWriter writer(output->work(), folders, records.schema, config.format, config.shard_bytes);
  FilterRun run(config, index.get(), records, known.get(), output->work(), folder_of, &writer);
  ARROW_RETURN_NOT_OK(run.Run(on_progress));
  ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> files, writer.Finish());
  run.AddTo(&result);
  for (const WrittenFile& file : files) result.bytes_out += file.bytes;
  result.files = static_cast<int64_t>(files.size());
  ARROW_RETURN_NOT_OK(output->Commit({{"counts", Counts(result)}, {"files", files}}));
  return result;
}

}  // namespace uzushio
