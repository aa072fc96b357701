#include "stages/filter/filter.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "base/memory_plan.h"
#include "base/ordered.h"
#include "base/parallel.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/quarantine_counts.h"
#include "datasets/quarantine_writer.h"
#include "datasets/row_reader.h"
#include "datasets/shard_writer.h"
#include "stages/filter/metrics.h"
#include "stages/filter/repeats.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

nlohmann::json StatisticsOf(const FilterConfig& config) {
  if (config.index == nullptr) return nlohmann::json::object();
  return {{"statistics", WithoutCredentials(NameOfPath(config.statistics))},
          {"statistics_checksum", StatisticsIdentity(config.index.get())}};
}

// The formats that only `clean` sets, by its options and the configuration's sections `input` and `output`.
nlohmann::json FormatsOfClean(const FilterConfig& config) {
  nlohmann::json json = {{"is_plain", config.kernel.is_plain},
                         {"separator", config.kernel.separator},
                         {"input_delimiter", config.input.delimiter},
                         {"output_column", config.output_column},
                         {"output_delimiter", config.output_delimiter}};
  if (config.input.all) json["input_format"] = static_cast<int>(*config.input.all);
  return json;
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
  FilterCounts counts = {json.at("documents").get<int64_t>(), json.at("paragraphs").get<int64_t>(),
                         json.at("text_bytes").get<int64_t>(), std::nullopt};
  if (json.contains("characters")) counts.characters = json.at("characters").get<int64_t>();
  return counts;
}

// What an earlier run of the same said.
arrow::Status ReadCounts(const nlohmann::json& counts, FilterResult* result) {
  try {
    result->totals.input = FromJson(counts.at("input"));
    result->totals.passed = FromJson(counts.at("passed"));
    result->totals.empty = FromJson(counts.at("empty"));
    for (const nlohmann::json& item : counts.at("removed")) result->totals.removed.push_back(FromJson(item));
  } catch (const nlohmann::json::exception& error) {
    return arrow::Status::Invalid("damaged counts of an earlier run: ", error.what());
  }
  ARROW_RETURN_NOT_OK(ReadQuarantined(counts, &result->quarantined));
  result->totals.removed.resize(result->reasons.size());
  result->totals.seconds.resize(result->step_names.size());
  return arrow::Status::OK();
}

// The rows with the column of texts called as the output has it.
arrow::Result<std::shared_ptr<arrow::Schema>> OutputSchema(const FilterConfig& config, const arrow::Schema& schema) {
  const std::string& column = config.kernel.text_column;
  const std::string& name = config.output_column.empty() ? column : config.output_column;
  if (name != column && schema.GetFieldIndex(name) >= 0) {
    return arrow::Status::Invalid("--output-column ", name, ": there is such a column beside that of texts, ", column);
  }
  const int place = schema.GetFieldIndex(column);
  return schema.SetField(place, schema.field(place)->WithName(name));
}

FilterKernelOptions KernelOptions(const FilterConfig& config) {
  FilterKernelOptions options = config.kernel;
  options.memory = PlanFilter(config.memory, config.threads).reader;
  return options;
}

// One run's parallel part.
class FilterRun {
 public:
  FilterRun(const FilterConfig& config, const RowInputs& records, const KnownMetrics* known,
            const ChainRepeats& repeats, const std::filesystem::path& work, std::vector<size_t> folder_of,
            const std::shared_ptr<arrow::Schema>& schema, ShardWriter* writer)
      : config_(config),
        records_(records),
        repeats_(repeats),
        work_(work),
        folder_of_(std::move(folder_of)),
        results_(PlanFilter(config.memory, config.threads).results, [this, schema, writer](const FilteredRows& rows) {
          const auto renamed = arrow::RecordBatch::Make(schema, rows.batch->num_rows(), rows.batch->columns());
          return writer->Append(folder_of_[rows.outcome], *renamed);
        }) {
    for (int i = 0; i < config.threads; ++i) {
      kernels_.push_back(std::make_unique<FilterKernel>(*config.chain, config.index.get(), KernelOptions(config)));
      if (known != nullptr) known_.emplace_back(known);
    }
    quarantined_.resize(kernels_.size());
  }

  arrow::Status Run(const std::function<void(double)>& on_progress) {
    return OrderedFor(config_.threads, records_.splits, &results_, on_progress,
                      [this](size_t thread, size_t split) { return FilterPiece(thread, split); });
  }

  void AddTo(FilterResult* result) const {
    for (const auto& kernel : kernels_) result->totals.Add(kernel->totals());
    for (const Counters& counters : quarantined_) result->quarantined.Add(counters);
  }

 private:
  arrow::Status FilterPiece(size_t thread, size_t split) {
    const RowSplit& from = records_.splits[split];
    QuarantineWriter quarantine(work_, fmt::format("piece-{:05}", split));
    const auto bad = [&](const QuarantinedRecord& record) {
      quarantined_[thread].Add(record.reason);
      return quarantine.Append(record);
    };
    int64_t row = 0;
    PieceRepeats repeats(repeats_, split);
    kernels_[thread]->set_repeats(&repeats);
    const auto filter = [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
      std::vector<double> known;
      if (!known_.empty()) {
        ARROW_ASSIGN_OR_RAISE(const auto ids, IdColumn(*batch, config_.kernel.id_column));
        ARROW_ASSIGN_OR_RAISE(known, known_[thread].Read(from.first_row + row, batch->num_rows(), ids.get()));
      }
      const auto bad_text = [&](int64_t in_batch) { return bad(BadText(records_, from, *batch, row, in_batch)); };
      ARROW_ASSIGN_OR_RAISE(auto filtered, kernels_[thread]->Filter(*batch, bad_text, known));
      row += batch->num_rows();
      for (FilteredRows& rows : filtered) {
        const int64_t bytes = arrow::util::TotalBufferSize(*rows.batch);
        ARROW_RETURN_NOT_OK(results_.Add(split, std::move(rows), bytes));
      }
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(
        ReadRows(records_, from, [&](const auto& batch) { return kernels_[thread]->InParts(batch, filter); }, bad));
    ARROW_RETURN_NOT_OK(NamingFile(*from.file, repeats.Finish(), arrow::Status::OK()));
    return quarantine.Finish();
  }

  const FilterConfig& config_;
  const RowInputs& records_;
  const ChainRepeats& repeats_;
  const std::filesystem::path& work_;
  std::vector<size_t> folder_of_;
  OrderedResults<FilteredRows> results_;
  std::vector<std::unique_ptr<FilterKernel>> kernels_;  // of each thread
  std::vector<KnownMetrics::Reader> known_;             // of each thread, or none
  std::vector<Counters> quarantined_;
};

// Passes over the documents, one for each filter that compares them all, with what those before found.
arrow::Result<ChainRepeats> FindRepeats(const FilterConfig& config, const RowInputs& records, SpillSpace* space,
                                        const std::function<void(double)>& on_progress) {
  const std::vector<size_t> places = config.chain->comparing_steps();
  ChainRepeats repeats(config.chain->steps().size());
  if (places.empty()) return repeats;
  std::vector<std::unique_ptr<FilterKernel>> kernels;
  kernels.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) {
    kernels.push_back(std::make_unique<FilterKernel>(*config.chain, config.index.get(), KernelOptions(config)));
  }
  for (size_t pass = 0; pass < places.size(); ++pass) {
    RepeatFinder finder(records.splits.size(), config.threads, PlanRepeats(config.memory, config.threads), space);
    std::vector<RepeatFinder::Writer> writers(kernels.size(), RepeatFinder::Writer(&finder));
    size_t done = 0;
    std::mutex mutex;
    const auto find = [&](size_t thread, size_t split) -> arrow::Status {
      const RowSplit& from = records.splits[split];
      PieceRepeats before(repeats, split);
      kernels[thread]->set_repeats(&before);
      writers[thread].Begin(split);
      const auto find_in = [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
        return kernels[thread]->ForEachElement(*batch, places[pass],
                                               [&](std::string_view element) { return writers[thread].Add(element); });
      };
      ARROW_RETURN_NOT_OK(ReadRows(
          records, from, [&](const auto& batch) { return kernels[thread]->InParts(batch, find_in); },
          [](const QuarantinedRecord& /*record*/) { return arrow::Status::OK(); }));
      ARROW_RETURN_NOT_OK(NamingFile(*from.file, before.Finish(), arrow::Status::OK()));
      const std::lock_guard lock(mutex);
      ++done;
      const double share = static_cast<double>(done) / static_cast<double>(records.splits.size());
      if (on_progress) on_progress((static_cast<double>(pass) + share) / static_cast<double>(places.size() + 1));
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(ParallelFor(config.threads, records.splits.size(), find));
    for (RepeatFinder::Writer& writer : writers) ARROW_RETURN_NOT_OK(writer.Flush());
    writers.clear();
    ARROW_ASSIGN_OR_RAISE(repeats[places[pass]], finder.Finish());
  }
  return repeats;
}

// The rows of Parquet files.
int64_t RowsOf(const RowInputs& records) {
  if (records.splits.empty()) return 0;
  const RowSplit& last = records.splits.back();
  return last.first_row + last.metadata->RowGroup(last.row_group)->num_rows();
}

// Has the chain's shares of documents looked up, and opens the metrics that need not be computed again; null: none. A
// chain with shares needs the table for them only, whatever its documents are in.
arrow::Result<std::unique_ptr<KnownMetrics>> UseMetrics(FilterConfig* config, const RowInputs& records) {
  if (config->metrics.empty()) {
    ARROW_RETURN_NOT_OK(config->chain->CheckWantsNothing());
    return nullptr;
  }
  ARROW_ASSIGN_OR_RAISE(
      const MetricsFolder table,
      MetricsFolder::Open(config->metrics, InputNames(config->inputs), StatisticsIdentity(config->index.get()),
                          config->kernel.text_column, config->kernel.id_column));
  const bool has_shares = !config->chain->wanting_steps().empty();
  ARROW_ASSIGN_OR_RAISE(config->chain, WithShares(config->chain, table, config->threads));
  const bool is_parquet =
      std::ranges::none_of(records.splits, [](const RowSplit& split) { return split.first_row < 0; });
  if (has_shares && (!is_parquet || table.is_of_spark)) return nullptr;
  if (!is_parquet) return arrow::Status::Invalid("--metrics needs documents in Parquet");
  return KnownMetrics::Open(table, *config->chain, RowsOf(records));
}

}  // namespace

const Options<FilterConfig>& DeclaredFilter() {
  static const auto options =
      Options<FilterConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .Path("config", &FilterConfig::chain_file, "FILE",
                "HOCON file with the list `filters`, or an installed one: recommended, uzushio, swallow, swallow-v2, "
                "fineweb2-ja, llm-jp-v4 (default: none; only converts)")
          .InShortHelp()
          .IdentityMembers([](const FilterConfig& config) { return ChainIdentity(*config.chain); })
          .Text("P", &FilterConfig::properties, "NAME=VALUE",
                "Value for a ${name} in the configuration; may be repeated")
          .OnlyWith({"config"})
          .NotInIdentity()  // of the chain
          .Path("stats", &FilterConfig::statistics, "DIR",
                "Paragraph statistics, as a folder, s3://, gs:// or abfs:// (default: each paragraph occurs once)")
          .InShortHelp()
          .IdentityMembers(StatisticsOf)
          .With(DeclaredSparkIndex(), &FilterConfig::on_spark)
          .Path("metrics", &FilterConfig::metrics, "DIR",
                "Metrics of these documents, for the shares of Percentile and Ensemble; on Spark for nothing else, "
                "otherwise also reused")
          .OnlyWith({"config"})
          .NotInIdentity()  // the chain has its shares
          .Choice("mode", Within(&FilterConfig::kernel, &FilterKernelOptions::partitioned),
                  Choices<bool>{{"passed", false}, {"partitioned", true}},
                  "Write passed documents, or all, separated by the filter that removed them")
          .InShortHelp()
          .Identity("partitioned", [](const FilterConfig& config) { return config.kernel.partitioned; })
          .Choice("format", &FilterConfig::format, kShardFormats, "Format of the output; jsonl is jsonl.gz")
          .InShortHelp()
          .Identity("format", [](const FilterConfig& config) { return static_cast<int>(config.format); })
          .Flag("keep-markup", Within(&FilterConfig::kernel, &FilterKernelOptions::keep_markup),
                "Keep paths and link marks in the text")
          .Size("shard-size", &FilterConfig::shard_bytes, 1, kAny, "Size after which a new file begins")
          .Frontends(kOnCommandLine | kInPython)
          .Identity("shard_bytes", [](const FilterConfig& config) { return config.shard_bytes; })
          .With(DeclaredColumns(), &FilterConfig::kernel)
          .With(DeclaredTmp(" of DeduplicateElement"))
          .With(DeclaredAllowIncomplete());
  return options;
}

arrow::Result<nlohmann::json> FilterIdentity(const FilterConfig& config) {
  ARROW_ASSIGN_OR_RAISE(nlohmann::json identity, DeclaredFilter().IdentityOf(config));
  identity.update(FormatsOfClean(config));
  return identity;
}

nlohmann::json ToJson(const FilterCounts& counts) {
  nlohmann::json json = {
      {"documents", counts.documents}, {"paragraphs", counts.paragraphs}, {"text_bytes", counts.text_bytes}};
  if (counts.characters) json["characters"] = *counts.characters;
  return json;
}

arrow::Result<FilterResult> RunFilter(const FilterConfig& given, const std::function<void(double)>& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  FilterConfig config = given;
  ARROW_ASSIGN_OR_RAISE(config.index, OpenStatistics(config.statistics, config.tmp));
  ARROW_ASSIGN_OR_RAISE(const RowInputs records,
                        FindRows(config.inputs, config.kernel.text_column, config.kernel.id_column,
                                 PlanFilter(config.memory, config.threads).reader, config.input));
  ARROW_ASSIGN_OR_RAISE(const auto schema, OutputSchema(config, *records.schema));
  ARROW_RETURN_NOT_OK(FilterKernel::CheckKnownColumns(*config.chain, *records.schema, config.kernel));

  ARROW_ASSIGN_OR_RAISE(const auto known, UseMetrics(&config, records));

  FilterResult result;
  result.reasons = FilterKernel::Reasons(*config.chain);
  for (const FilterChain::Step& step : config.chain->steps()) {
    result.step_of_reason.insert(result.step_of_reason.end(), step.reasons.size(), result.step_names.size());
    result.step_names.push_back(step.name());
  }
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json configuration, FilterIdentity(config));
  const nlohmann::json run = IdentityOfRun("filter", config.inputs, configuration);
  ARROW_ASSIGN_OR_RAISE(const auto output, OutputFolder::Open(config.output, run, config.overwrite, config.tmp));
  if (output->done()) {
    result.was_done = true;
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json counts, output->Counts());
    ARROW_RETURN_NOT_OK(ReadCounts(counts, &result));
    return result;
  }
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads, &forms));
  if (!config.statistics.empty()) ARROW_RETURN_NOT_OK(forms.AddOutput(config.statistics));
  if (!config.metrics.empty()) ARROW_RETURN_NOT_OK(forms.AddOutput(config.metrics));

  SpillSpace space(config.tmp);
  ARROW_ASSIGN_OR_RAISE(const ChainRepeats repeats, FindRepeats(config, records, &space, on_progress));
  const auto passes = static_cast<double>(config.chain->comparing_steps().size());
  std::vector<size_t> folder_of;
  const auto folders = FolderNames(result.reasons, config.kernel.partitioned, &folder_of);
  ShardWriter writer(
      output->work(), folders, schema, config.format, config.shard_bytes,
      {config.output_column.empty() ? config.kernel.text_column : config.output_column, config.output_delimiter});
  FilterRun filter_run(config, records, known.get(), repeats, output->work(), folder_of, schema, &writer);
  ARROW_RETURN_NOT_OK(filter_run.Run([&](double share) {
    if (on_progress) on_progress((passes + share) / (passes + 1));
  }));
  ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> files, writer.Finish());
  filter_run.AddTo(&result);
  for (const WrittenFile& file : files) result.bytes_out += file.bytes;
  result.files = static_cast<int64_t>(files.size());
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  if (known != nullptr) ARROW_RETURN_NOT_OK(known->CheckUnchanged());
  ARROW_RETURN_NOT_OK(output->Commit(forms.Mark({{"counts", Counts(result)}, {"files", files}})));
  return result;
}

}  // namespace uzushio
