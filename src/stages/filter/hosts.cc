#include "stages/filter/hosts.h"

#include <arrow/compute/initialize.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/json.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/name_totals.h"
#include "datasets/quarantine_counts.h"
#include "datasets/quarantine_writer.h"
#include "datasets/row_reader.h"
#include "datasets/table_writer.h"
#include "stages/filter/host_sums.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

// One thread's part.
class HostsWorker {
 public:
  HostsWorker(const HostsConfig& config, const FilterKernelOptions& options, NameRuns* runs, size_t width,
              int64_t memory)
      : kernel_(*config.chain, config.index.get(), options),
        meter_(*config.chain, &kernel_),
        totals_(runs, width, memory) {}

  const FilterKernel& kernel() const { return kernel_; }
  arrow::Status Take(const arrow::RecordBatch& batch, const std::function<arrow::Status(int64_t row)>& bad) {
    const auto add = [this](std::string_view host, std::span<const NameSum> sums) { return totals_.Add(host, sums); };
    return meter_.Measure(batch, add, bad);
  }
  arrow::Status Finish() { return totals_.Flush(); }

  int64_t documents() const { return meter_.documents(); }
  int64_t without_host() const { return meter_.without_host(); }

 private:
  FilterKernel kernel_;
  HostMeter meter_;
  NameTotals totals_;
};

// Writes the hosts of all runs.
arrow::Status WriteHosts(const HostColumns& columns, NameRuns* runs, TableWriter* table) {
  std::vector<double> numbers;
  return runs->Merge([&](std::string_view host, std::span<const NameSum> sums) {
    table->Text(host);
    table->Int64(columns.Documents(sums));
    table->Int64(columns.Characters(sums));
    columns.Numbers(sums, &numbers);
    for (const double number : numbers) table->Double(number);
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
        HostsWorker& worker = *(*workers)[static_cast<size_t>(thread)];
        const auto take = [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
          ARROW_RETURN_NOT_OK(worker.Take(
              *batch, [&](int64_t in_batch) { return bad(BadText(records, from, *batch, row, in_batch)); }));
          row += batch->num_rows();
          return arrow::Status::OK();
        };
        ARROW_RETURN_NOT_OK(
            ReadRows(records, from, [&](const auto& batch) { return worker.kernel().InParts(batch, take); }, bad));
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

const Options<HostsConfig>& DeclaredHosts() {
  static const auto options =
      Options<HostsConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .Path("config", &HostsConfig::chain_file, "FILE",
                "HOCON file with the list `filters`, or an installed one: recommended, uzushio, swallow, swallow-v2, "
                "fineweb2-ja, llm-jp-v4 (default: none; documents and characters only)")
          .InShortHelp()
          .IdentityMembers([](const HostsConfig& config) {
            return nlohmann::json{{"filters", config.chain->ToJson()}, {"contents", config.chain->Contents()}};
          })
          .Text("P", &HostsConfig::properties, "NAME=VALUE",
                "Value for a ${name} in the configuration; may be repeated")
          .OnlyWith({"config"})
          .NotInIdentity()  // of the chain
          .Path("stats", &HostsConfig::statistics, "DIR",
                "Paragraph statistics, as a folder, s3://, gs:// or abfs:// (default: each paragraph occurs once)")
          .InShortHelp()
          .Identity("statistics", [](const HostsConfig& config) { return StatisticsIdentity(config.index.get()); })
          .With(DeclaredTmp())
          .With(DeclaredColumns(), &HostsConfig::kernel)
          .Text("url-column", Within(&HostsConfig::kernel, &FilterKernelOptions::url_column), "NAME",
                "Column or key of the URLs")
          .With(DeclaredAllowIncomplete());
  return options;
}

arrow::Result<HostsResult> RunHosts(const HostsConfig& given, const std::function<void(double)>& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  HostsConfig config = given;
  const FilterChain& chain = *config.chain;
  ARROW_RETURN_NOT_OK(chain.CheckComparesNothing("hosts reads them once"));
  ARROW_RETURN_NOT_OK(chain.CheckWantsNothing());
  const HostsPlan plan = PlanHosts(config.memory, config.threads);
  ARROW_ASSIGN_OR_RAISE(config.index, OpenStatistics(config.statistics, config.tmp));
  ARROW_ASSIGN_OR_RAISE(const RowInputs records,
                        FindRows(config.inputs, config.kernel.text_column, config.kernel.id_column, plan.reader));
  ARROW_RETURN_NOT_OK(CheckTextColumn(*records.schema, config.kernel.url_column));
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json configuration, DeclaredHosts().IdentityOf(config));
  const nlohmann::json run = IdentityOfRun("hosts", config.inputs, configuration);
  ARROW_ASSIGN_OR_RAISE(const auto output, OutputFolder::Open(config.output, run, config.overwrite, config.tmp));
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

  const HostColumns columns(chain);
  SpillSpace space(config.tmp);
  NameRuns runs(&space, columns.width(), plan.totals, kHostsBlock);
  std::vector<std::unique_ptr<HostsWorker>> workers;
  workers.reserve(static_cast<size_t>(config.threads));
  FilterKernelOptions options = config.kernel;
  options.memory = plan.reader;
  for (int i = 0; i < config.threads; ++i) {
    workers.push_back(
        std::make_unique<HostsWorker>(config, options, &runs, columns.width(), plan.totals / config.threads));
  }
  ARROW_RETURN_NOT_OK(ReadAll(config, records, output->work(), &workers, &result, on_progress));
  workers.clear();
  ARROW_ASSIGN_OR_RAISE(const auto table, TableWriter::Create(output->work() / kHostsFile, columns.Schema()));
  ARROW_RETURN_NOT_OK(WriteHosts(columns, &runs, table.get()));
  ARROW_RETURN_NOT_OK(table->Finish());
  result.hosts = table->rows();
  result.spilled_bytes = space.bytes_written();
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(output->Commit(
      {{"counts", Counts(result)}, {"files", std::vector{table->file().Written(kHostsFile, table->rows())}}}));
  return result;
}

}  // namespace uzushio
