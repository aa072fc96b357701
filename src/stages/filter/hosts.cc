#include "stages/filter/hosts.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "base/json.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/name_totals.h"
#include "datasets/quarantine_counts.h"
#include "datasets/quarantine_writer.h"
#include "datasets/row_reader.h"
#include "datasets/table_writer.h"
#include "document/host.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

// The sums of a host: documents, characters, documents that are removed; those that each filter of documents removes;
// each metric.
constexpr size_t kFirstOfFilters = 3;

// The filters that remove documents, as places in the chain.
std::vector<size_t> FiltersOfDocuments(const FilterChain& chain) {
  std::vector<size_t> filters;
  for (size_t i = 0; i < chain.steps().size(); ++i) {
    if (!chain.steps()[i].changes_paragraphs()) filters.push_back(i);
  }
  return filters;
}

// Names that differ, by `_2` and so on.
class DistinctNames {
 public:
  std::string Differing(const std::string& name) {
    const int use = ++uses_[name];
    return use == 1 ? name : fmt::format("{}_{}", name, use);
  }

 private:
  std::map<std::string, int> uses_;
};

std::shared_ptr<arrow::Schema> HostsSchema(const FilterChain& chain) {
  arrow::FieldVector fields = {
      arrow::field("host", arrow::utf8(), false), arrow::field("documents", arrow::int64(), false),
      arrow::field("characters", arrow::int64(), false), arrow::field("removed", arrow::float64(), false)};
  DistinctNames names;
  const auto add = [&](const std::string& name) {
    fields.push_back(arrow::field(names.Differing(name), arrow::float64(), false));
  };
  for (const size_t step : FiltersOfDocuments(chain)) add("removed_" + chain.steps()[step].name());
  for (const std::string& column : chain.columns()) add("mean_" + column.substr(0, column.find_first_of("(#")));
  return arrow::schema(fields);
}

// One thread's part.
class HostsWorker {
 public:
  HostsWorker(const HostsConfig& config, const FrequencyIndex* index, NameRuns* runs, size_t width, int64_t memory)
      : chain_(*config.chain),
        options_(config.kernel),
        filters_(FiltersOfDocuments(chain_)),
        kernel_(chain_, index, config.kernel),
        totals_(runs, width, memory),
        metrics_(chain_.columns().size()),
        sums_(width) {}

  arrow::Status Take(const arrow::RecordBatch& batch, const std::function<arrow::Status(int64_t row)>& bad) {
    ARROW_ASSIGN_OR_RAISE(const auto documents, kernel_.Documents(batch));
    ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, options_.text_column));
    ARROW_ASSIGN_OR_RAISE(const auto urls, TextColumn(batch, options_.url_column));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (texts->IsValid(row) && !IsValidUtf8(texts->GetView(row))) {
        ARROW_RETURN_NOT_OK(bad(row));
        continue;
      }
      ARROW_RETURN_NOT_OK(Measure(&documents[static_cast<size_t>(row)]));
      const bool has_host = location_.Parse(urls->IsNull(row) ? std::string_view() : urls->GetView(row));
      ++documents_;
      without_host_ += has_host ? 0 : 1;
      ARROW_RETURN_NOT_OK(totals_.Add(location_.host, sums_));
    }
    return arrow::Status::OK();
  }
  arrow::Status Finish() { return totals_.Flush(); }

  int64_t documents() const { return documents_; }
  int64_t without_host() const { return without_host_; }

 private:
  // Sets the sums to those of one document: each filter sees what filters of paragraphs before it leave.
  arrow::Status Measure(FilterDocument* document) {
    sums_[0] = 1;
    sums_[1] = document->AliveLength();
    chain_.Measure(document, &scratch_, metrics_.data());
    ARROW_RETURN_NOT_OK(TakeFailure(*document, &scratch_));
    bool is_removed = document->AliveLength() == 0;
    size_t at = kFirstOfFilters;
    for (const size_t i : filters_) {
      const auto reason = chain_.steps()[i].Decide(metrics_, *document);
      is_removed |= reason.has_value();
      sums_[at++] = reason ? 1 : 0;
    }
    sums_[2] = is_removed ? 1 : 0;
    for (const double metric : metrics_) sums_[at++] = ExactOf(metric);
    return arrow::Status::OK();
  }

  const FilterChain& chain_;
  const FilterKernelOptions& options_;
  std::vector<size_t> filters_;
  FilterKernel kernel_;
  NameTotals totals_;
  FilterScratch scratch_;
  Location location_;
  std::vector<double> metrics_;
  std::vector<NameSum> sums_;
  int64_t documents_ = 0;
  int64_t without_host_ = 0;
};

// Writes the hosts of all runs.
arrow::Status WriteHosts(const FilterChain& chain, NameRuns* runs, TableWriter* table) {
  const size_t first_metric = kFirstOfFilters + FiltersOfDocuments(chain).size();
  return runs->Merge([&](std::string_view host, std::span<const NameSum> sums) {
    table->Text(host);
    table->Int64(static_cast<int64_t>(sums[0]));
    table->Int64(static_cast<int64_t>(sums[1]));
    for (size_t i = 2; i < first_metric; ++i) {
      table->Double(static_cast<double>(sums[i]) / static_cast<double>(sums[0]));
    }
    for (size_t i = first_metric; i < sums.size(); ++i) table->Double(MeanOf(sums[i], sums[0]));
    return table->EndRow();
  });
}

arrow::Status ReadAll(const HostsConfig& config, const RowInputs& records, const std::filesystem::path& work,
                      std::vector<std::unique_ptr<HostsWorker>>* workers, HostsResult* result,
                      const std::function<void(double)>& on_progress) {
  std::vector<Counters> bad_of_threads(workers->size());
  std::mutex mutex;
  size_t done = 0;
  ARROW_RETURN_NOT_OK(
      ParallelFor(config.threads, records.splits.size(), [&](int thread, size_t split) -> arrow::Status {
        const RowSplit& from = records.splits[split];
        QuarantineWriter quarantine(work, fmt::format("piece-{:05}", split));
        const auto bad = [&](const QuarantinedRecord& record) {
          bad_of_threads[static_cast<size_t>(thread)].Add(record.reason);
          return quarantine.Append(record);
        };
        int64_t row = 0;
        ARROW_RETURN_NOT_OK(ReadRows(
            records, from,
            [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
              ARROW_RETURN_NOT_OK((*workers)[static_cast<size_t>(thread)]->Take(
                  *batch, [&](int64_t in_batch) { return bad(BadText(records, from, *batch, row, in_batch)); }));
              row += batch->num_rows();
              return arrow::Status::OK();
            },
            bad));
        ARROW_RETURN_NOT_OK(quarantine.Finish());
        const std::lock_guard lock(mutex);
        on_progress(static_cast<double>(++done) / static_cast<double>(records.splits.size()));
        return arrow::Status::OK();
      }));
  for (const auto& worker : *workers) {
    ARROW_RETURN_NOT_OK(worker->Finish());
    result->documents += worker->documents();
    result->without_host += worker->without_host();
  }
  for (const Counters& counters : bad_of_threads) result->quarantined.Add(counters);
  return arrow::Status::OK();
}

nlohmann::json RunIdentity(const HostsConfig& config, const FrequencyIndex* index) {
  return {{"stage", "hosts"},
          {"version", UZUSHIO_VERSION},
          {"inputs", InputNames(config.inputs)},
          {"configuration",
           {{"filters", config.chain->ToJson()},
            {"contents", config.chain->Contents()},
            {"statistics", StatisticsIdentity(index)},
            {"text_column", config.kernel.text_column},
            {"id_column", config.kernel.id_column},
            {"url_column", config.kernel.url_column}}}};
}

nlohmann::json Counts(const HostsResult& result) {
  return {{"documents", result.documents},
          {"without_host", result.without_host},
          {"hosts", result.hosts},
          {"quarantined", result.quarantined.counts()}};
}

// What an earlier run of the same said.
arrow::Status ReadCounts(const nlohmann::json& counts, HostsResult* result) {
  for (const auto& [name, number] : {std::pair<const char*, int64_t*>("documents", &result->documents),
                                     {"without_host", &result->without_host},
                                     {"hosts", &result->hosts}}) {
    const nlohmann::json& count = MemberOf(counts, name);
    if (!count.is_number_integer()) return arrow::Status::Invalid("damaged counts of an earlier run: no ", name);
    *number = count.get<int64_t>();
  }
  return ReadQuarantined(counts, &result->quarantined);
}

}  // namespace

arrow::Result<HostsResult> RunHosts(const HostsConfig& config, const std::function<void(double)>& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  const FilterChain& chain = *config.chain;
  ARROW_RETURN_NOT_OK(chain.CheckComparesNothing("hosts reads them once"));
  ARROW_RETURN_NOT_OK(chain.CheckWantsNothing());
  const HostsPlan plan = PlanHosts(config.memory, config.threads);
  ARROW_ASSIGN_OR_RAISE(const auto index, OpenStatistics(config.statistics));
  ARROW_ASSIGN_OR_RAISE(const RowInputs records,
                        FindRows(config.inputs, config.kernel.text_column, config.kernel.id_column, plan.reader));
  ARROW_RETURN_NOT_OK(CheckTextColumn(*records.schema, config.kernel.url_column));
  ARROW_ASSIGN_OR_RAISE(const auto output, OutputFolder::Open(config.output, RunIdentity(config, index.get()),
                                                              config.overwrite, config.tmp));
  HostsResult result;
  if (output->done()) {
    result.was_done = true;
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json counts, output->Counts());
    ARROW_RETURN_NOT_OK(ReadCounts(counts, &result));
    return result;
  }
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads, &forms));
  if (!config.statistics.empty()) ARROW_RETURN_NOT_OK(forms.AddOutput(config.statistics));

  const size_t width = kFirstOfFilters + FiltersOfDocuments(chain).size() + chain.columns().size();
  SpillSpace space(config.tmp);
  NameRuns runs(&space, width, plan.totals, kHostsBlock);
  std::vector<std::unique_ptr<HostsWorker>> workers;
  workers.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) {
    workers.push_back(std::make_unique<HostsWorker>(config, index.get(), &runs, width, plan.totals / config.threads));
  }
  ARROW_RETURN_NOT_OK(ReadAll(config, records, output->work(), &workers, &result, on_progress));
  workers.clear();
  ARROW_ASSIGN_OR_RAISE(const auto table, TableWriter::Create(output->work() / kHostsFile, HostsSchema(chain)));
  ARROW_RETURN_NOT_OK(WriteHosts(chain, &runs, table.get()));
  ARROW_RETURN_NOT_OK(table->Finish());
  result.hosts = table->rows();
  result.spilled_bytes = space.bytes_written();
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(output->Commit(
      {{"counts", Counts(result)}, {"files", std::vector{table->file().Written(kHostsFile, table->rows())}}}));
  return result;
}

}  // namespace uzushio
