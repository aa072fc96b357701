#include "stages/filter/metrics.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/initialize.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/json.h"
#include "base/memory_plan.h"
#include "base/ordered.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/extracts.h"
#include "datasets/parquet_file.h"
#include "datasets/quarantine_counts.h"
#include "datasets/quarantine_writer.h"
#include "datasets/row_reader.h"
#include "datasets/row_sorter.h"
#include "datasets/shard_writer.h"
#include "datasets/table_writer.h"
#include "filters/chain_rules.h"
#include "stages/filter/extract_sample.h"
#include "statistics/folder.h"
#include "statistics/frequency_index.h"
#include "storage/local_files.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

std::shared_ptr<arrow::Schema> MetricsSchema(const FilterChain& chain) {
  arrow::FieldVector fields = {arrow::field("docId", arrow::utf8(), false)};
  for (const std::string& name : chain.columns()) fields.push_back(arrow::field(name, arrow::float64(), false));
  for (const char* name : kSizeColumns) fields.push_back(arrow::field(name, arrow::int64(), false));
  return arrow::schema(fields);
}

// A sample of a column: every n-th value, n doubled when there are too many.
class Sample {
 public:
  void Add(double value) {
    if (std::isnan(value) || seen_++ % step_ != 0) return;
    values_.push_back(value);
    if (values_.size() < kMost) return;
    for (size_t i = 0; 2 * i < values_.size(); ++i) values_[i] = values_[2 * i];
    values_.resize(values_.size() / 2);
    step_ *= 2;
  }
  std::vector<double> Quantiles() {
    std::ranges::sort(values_);
    std::vector<double> quantiles;
    if (values_.empty()) return quantiles;
    for (const double share : {0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0}) {
      quantiles.push_back(values_[static_cast<size_t>(share * static_cast<double>(values_.size() - 1))]);
    }
    return quantiles;
  }

 private:
  static constexpr size_t kMost = size_t{1} << 17;
  std::vector<double> values_;
  int64_t seen_ = 0;
  int64_t step_ = 1;
};

// A batch of documents and their metrics.
struct Measured : MeasuredDocuments {
  std::shared_ptr<arrow::RecordBatch> batch;  // when documents are sorted

  int64_t bytes() const {
    auto sum = static_cast<int64_t>(metrics.size() * sizeof(double) + sizes.size() * sizeof(TextSizes));
    for (const std::string& id : ids) sum += static_cast<int64_t>(sizeof(std::string) + id.size());
    return sum + (batch == nullptr ? 0 : arrow::util::TotalBufferSize(*batch));
  }
};

// Takes what is measured, in order.
class MetricsOutput {
 public:
  static arrow::Result<std::unique_ptr<MetricsOutput>> Create(const MetricsConfig& config, const RowInputs& records,
                                                              const std::filesystem::path& work) {
    const FilterChain& chain = *config.chain;
    std::unique_ptr<MetricsOutput> output(new MetricsOutput());
    ARROW_ASSIGN_OR_RAISE(output->table_, TableWriter::Create(work / kMetricsFile, MetricsSchema(chain)));
    output->samples_.resize(chain.columns().size());
    output->work_ = work;
    if (config.sorted_by.empty()) return output;
    const arrow::Result<size_t> found = chain.FindColumn(config.sorted_by);
    if (!found.ok()) {
      return found.status().WithMessage("--sorted-by ", config.sorted_by, ": ", found.status().message());
    }
    const std::string& name = chain.columns()[*found];
    if (records.schema->GetFieldIndex(name) >= 0) {
      return arrow::Status::Invalid("--sorted-by ", name, ": the documents have a column of this name");
    }
    output->sorted_column_ = static_cast<std::ptrdiff_t>(*found);
    ARROW_ASSIGN_OR_RAISE(output->schema_, records.schema->AddField(records.schema->num_fields(),
                                                                    arrow::field(name, arrow::float64(), false)));
    const int64_t memory = PlanMetrics(config.memory, config.threads).sorter;
    output->sorter_ = std::make_unique<RowSorter>(output->schema_, memory, config.tmp);
    output->shards_ = std::make_unique<ShardWriter>(work, std::vector<std::string>{kSortedFolder}, output->schema_,
                                                    ShardFormat::kParquet, config.shard_bytes);
    return output;
  }

  bool sorts() const { return sorter_ != nullptr; }

  arrow::Status Add(const Measured& measured) {
    const size_t columns = samples_.size();
    for (size_t row = 0; row < measured.ids.size(); ++row) {
      table_->Text(measured.ids[row]);
      for (size_t i = 0; i < columns; ++i) {
        const double value = measured.metrics[row * columns + i];
        table_->Double(value);
        samples_[i].Add(value);
      }
      for (const int64_t size : ValuesOf(measured.sizes[row])) table_->Int64(size);
      ARROW_RETURN_NOT_OK(table_->EndRow());
    }
    return sorts() ? AddToSorter(measured) : arrow::Status::OK();
  }

  arrow::Result<std::vector<WrittenFile>> Finish(const std::vector<Extract>& extracts) {
    ARROW_RETURN_NOT_OK(table_->Finish());
    std::vector<WrittenFile> files;
    if (sorts()) {
      ARROW_RETURN_NOT_OK(
          sorter_->Finish([this](const arrow::RecordBatch& batch) { return shards_->Append(0, batch); }));
      ARROW_ASSIGN_OR_RAISE(files, shards_->Finish());
    }
    files.push_back(table_->file().Written(kMetricsFile, table_->rows()));
    ARROW_ASSIGN_OR_RAISE(files.emplace_back(), WriteExtracts(work_, extracts));
    return files;
  }

  int64_t rows() const { return table_->rows(); }
  std::vector<Sample>& samples() { return samples_; }

 private:
  arrow::Status AddToSorter(const Measured& measured) {
    if (measured.ids.empty()) return arrow::Status::OK();
    std::vector<double> keys;
    for (size_t row = 0; row < measured.ids.size(); ++row) {
      const double key = measured.metrics[row * samples_.size() + static_cast<size_t>(sorted_column_)];
      keys.push_back(std::isnan(key) ? std::numeric_limits<double>::infinity() : key);
    }
    arrow::DoubleBuilder builder;
    ARROW_RETURN_NOT_OK(builder.AppendValues(keys));
    ARROW_ASSIGN_OR_RAISE(const auto column, builder.Finish());
    auto columns = measured.batch->columns();
    columns.push_back(column);
    return sorter_->Add(arrow::RecordBatch::Make(schema_, measured.batch->num_rows(), columns), keys);
  }

  MetricsOutput() = default;
  std::filesystem::path work_;
  std::unique_ptr<TableWriter> table_;
  std::vector<Sample> samples_;
  std::shared_ptr<arrow::Schema> schema_;
  std::ptrdiff_t sorted_column_ = -1;
  std::unique_ptr<RowSorter> sorter_;
  std::unique_ptr<ShardWriter> shards_;
};

// Extracts of some documents.
arrow::Result<std::vector<Extract>> MeasureAll(const MetricsConfig& config, const RowInputs& records,
                                               const std::filesystem::path& work, MetricsOutput* output,
                                               Counters* quarantined, const std::function<void(double)>& on_progress) {
  std::vector<std::unique_ptr<FilterKernel>> kernels;
  kernels.reserve(static_cast<size_t>(config.threads));
  const MetricsPlan plan = PlanMetrics(config.memory, config.threads);
  FilterKernelOptions options = config.kernel;
  options.memory = plan.reader;
  for (int i = 0; i < config.threads; ++i) {
    kernels.push_back(std::make_unique<FilterKernel>(*config.chain, config.index.get(), options));
  }
  std::vector<Counters> bad_of_threads(kernels.size());
  std::vector<ExtractSample> extracts(kernels.size());
  OrderedResults<Measured> results(plan.results, [output](const Measured& measured) { return output->Add(measured); });
  const auto measure_piece = [&](size_t thread, size_t split) -> arrow::Status {
    QuarantineWriter quarantine(work, fmt::format("piece-{:05}", split));
    int64_t row = 0;
    const auto measure = [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
      Measured measured;
      ARROW_RETURN_NOT_OK(kernels[thread]->Measure(*batch, &measured));
      ARROW_RETURN_NOT_OK(extracts[thread].Add(*batch, split, row, *kernels[thread], measured));
      row += batch->num_rows();
      if (output->sorts()) measured.batch = batch;
      const int64_t bytes = measured.bytes();
      return results.Add(split, std::move(measured), bytes);
    };
    ARROW_RETURN_NOT_OK(ReadRows(
        records, records.splits[split], [&](const auto& batch) { return kernels[thread]->InParts(batch, measure); },
        [&](const QuarantinedRecord& record) {
          bad_of_threads[thread].Add(record.reason);
          return quarantine.Append(record);
        }));
    return quarantine.Finish();
  };
  ARROW_RETURN_NOT_OK(OrderedFor(config.threads, records.splits, &results, on_progress, measure_piece));
  for (const Counters& counters : bad_of_threads) quarantined->Add(counters);
  return ExtractSample::Merge(std::move(extracts));
}

nlohmann::json IdentityOfChain(const MetricsConfig& config) {
  nlohmann::json identity = ChainIdentity(*config.chain);
  identity["columns"] = MetricsColumns(*config.chain);
  identity["rules"] = RulesOf(*config.chain);
  return identity;
}

}  // namespace

nlohmann::json MetricsColumns(const FilterChain& chain) {
  nlohmann::json columns = nlohmann::json::array();
  for (size_t i = 0; i < chain.columns().size(); ++i) {
    columns.push_back({{"name", chain.columns()[i]}, {"identity", chain.column_identity(i)}});
  }
  return columns;
}

const Options<MetricsConfig>& DeclaredMetrics() {
  static const auto options =
      Options<MetricsConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .Path("config", Within(&MetricsConfig::wanted, &MetricsChain::config), "FILE",
                "HOCON file with the list `filters`, or an installed one: recommended, uzushio, swallow, swallow-v2, "
                "fineweb2-ja, llm-jp-v4")
          .InShortHelp()
          .IdentityMembers(IdentityOfChain)
          .Text("metric", Within(&MetricsConfig::wanted, &MetricsChain::metrics), "NAME",
                "Metric to compute, or the name of its filter, with default parameters; may be repeated")
          .InShortHelp()
          .NotInIdentity()  // of the chain
          .Path("tokenizer", Within(&MetricsConfig::wanted, &MetricsChain::tokenizer), "FILE",
                "Hugging Face tokenizer.json of a model, for --metric Tokens")
          .NotInIdentity()  // of the chain
          .Text("P", &MetricsConfig::properties, "NAME=VALUE",
                "Value for a ${name} in the configuration; may be repeated")
          .OnlyWith({"config"})
          .NotInIdentity()  // of the chain
          .Path("stats", &MetricsConfig::statistics, "DIR",
                "Paragraph statistics, as a folder, s3://, gs:// or abfs:// (default: each paragraph occurs once)")
          .InShortHelp()
          .Identity("statistics", [](const MetricsConfig& config) { return StatisticsIdentity(config.index.get()); })
          .With(DeclaredSparkIndex(), &MetricsConfig::on_spark)
          .Text("sorted-by", &MetricsConfig::sorted_by, "NAME", "Also write the documents, sorted by this metric")
          .InShortHelp()
          .Size("shard-size", &MetricsConfig::shard_bytes, 1, kAny, "Size after which a new file of documents begins")
          .OnlyWith({"sorted-by"})
          .Frontends(kOnCommandLine | kInPython)
          .Identity("shard_bytes",
                    [](const MetricsConfig& config) {
                      const bool is_default = config.shard_bytes == MetricsConfig().shard_bytes;
                      return config.sorted_by.empty() || is_default ? LeftOut() : nlohmann::json(config.shard_bytes);
                    })
          .With(DeclaredTmp())
          .With(DeclaredColumns(), &MetricsConfig::kernel)
          .With(DeclaredAllowIncomplete());
  return options;
}

arrow::Result<MetricsResult> RunMetrics(const MetricsConfig& given, const std::function<void(double)>& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  MetricsConfig config = given;
  const FilterChain& chain = *config.chain;
  if (chain.columns().empty()) return arrow::Status::Invalid("no metric is named; give --config or --metric");
  ARROW_RETURN_NOT_OK(chain.CheckComparesNothing("metrics reads them once"));
  ARROW_ASSIGN_OR_RAISE(config.index, OpenStatistics(config.statistics, config.tmp));
  ARROW_ASSIGN_OR_RAISE(const RowInputs records,
                        FindRows(config.inputs, config.kernel.text_column, config.kernel.id_column,
                                 PlanMetrics(config.memory, config.threads).reader));
  ARROW_RETURN_NOT_OK(FilterKernel::CheckKnownColumns(chain, *records.schema, config.kernel));
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json configuration, DeclaredMetrics().IdentityOf(config));
  const nlohmann::json run = IdentityOfRun("metrics", config.inputs, configuration);
  ARROW_ASSIGN_OR_RAISE(const auto output, OutputFolder::Open(config.output, run, config.overwrite, config.tmp));
  MetricsResult result;
  if (output->done()) {
    result.was_done = true;
    ARROW_ASSIGN_OR_RAISE(const nlohmann::json counts, output->Counts());
    const nlohmann::json& documents = MemberOf(counts, "documents");
    if (!documents.is_number_integer()) return arrow::Status::Invalid("damaged counts of an earlier run: no documents");
    result.documents = documents.get<int64_t>();
    ARROW_RETURN_NOT_OK(ReadQuarantined(counts, &result.quarantined));
    return result;
  }
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads, &forms));
  if (!config.statistics.empty()) ARROW_RETURN_NOT_OK(forms.AddOutput(config.statistics));
  ARROW_ASSIGN_OR_RAISE(const auto metrics, MetricsOutput::Create(config, records, output->work()));
  ARROW_ASSIGN_OR_RAISE(const std::vector<Extract> extracts,
                        MeasureAll(config, records, output->work(), metrics.get(), &result.quarantined, on_progress));
  ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> files, metrics->Finish(extracts));
  result.documents = metrics->rows();
  for (size_t i = 0; i < chain.columns().size(); ++i) {
    result.metrics.push_back({chain.columns()[i], metrics->samples()[i].Quantiles()});
  }
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(output->Commit(
      forms.Mark({{"counts", {{"documents", result.documents}, {"quarantined", result.quarantined.counts()}}},
                  {"files", files}})));
  return result;
}

// --- reading ---

namespace {

constexpr int kIdPlace = 0;  // of docId, before the metrics

// Whether documents are removed by a column that is measured: not by those of filters of paragraphs, nor by those that
// are made of others at no cost.
bool IsNeeded(const FilterChain& chain, size_t column) {
  return std::ranges::any_of(chain.steps(), [column](const FilterChain::Step& step) {
    return step.column <= column && column < step.column + step.metrics() && !step.changes_paragraphs() &&
           step.sources.empty();
  });
}

}  // namespace

KnownMetrics::~KnownMetrics() = default;

arrow::Status KnownMetrics::CheckUnchanged() const { return uzushio::CheckUnchanged(files_); }

arrow::Result<std::unique_ptr<KnownMetrics>> KnownMetrics::Open(const MetricsFolder& table, const FilterChain& chain,
                                                                int64_t documents) {
  std::unique_ptr<KnownMetrics> metrics(new KnownMetrics());
  metrics->files_ = table.files;
  for (size_t i = 0; i < chain.columns().size(); ++i) {
    const int found = table.PlaceOf(chain.column_identity(i));
    if (found < 0 && IsNeeded(chain, i)) {
      return table.Refuse("there is no ", chain.columns()[i],
                          " after the same filters of paragraphs; compute the metrics of "
                          "this configuration");
    }
    metrics->columns_.push_back(found);
  }
  if (table.is_of_spark) {
    return table.Refuse("these were computed on Spark, in files of its own; compute them with uzushio metrics");
  }
  ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(metrics->files_.front()));
  for (const int column : metrics->columns_) {
    if (column >= metadata->num_columns() ||
        (column >= 0 && metadata->schema()->Column(column)->physical_type() != parquet::Type::DOUBLE)) {
      return table.Refuse(metrics->file().name, " does not have the columns that the manifest names");
    }
  }
  int64_t rows = 0;
  for (int i = 0; i < metadata->num_row_groups(); ++i)
    metrics->group_ends_.push_back(rows += metadata->RowGroup(i)->num_rows());
  if (rows != documents) {
    return table.Refuse("these are metrics of ", rows, " documents, and the input has ", documents,
                        "; compute the metrics anew");
  }
  return metrics;
}

arrow::Status KnownMetrics::Reader::Load(int group) {
  const InputFile& of = metrics_.file();
  ARROW_ASSIGN_OR_RAISE(const auto file, of.filesystem->OpenInputFile(of.path));
  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Open(file, properties));
  std::unique_ptr<parquet::arrow::FileReader> reader;
  ARROW_RETURN_NOT_OK(builder.Build(&reader));
  columns_.clear();
  for (const int column : metrics_.columns_) {
    if (column < 0) {
      columns_.emplace_back();
      continue;
    }
    std::shared_ptr<arrow::Table> table;
    ARROW_ASSIGN_OR_RAISE(table, reader->ReadRowGroup(group, {column}));
    std::vector<double>& values = columns_.emplace_back();
    if (table->num_columns() != 1 || table->column(0)->type()->id() != arrow::Type::DOUBLE) {
      return arrow::Status::Invalid(metrics_.file().name,
                                    ": is not what its run has written; compute the metrics again");
    }
    for (const auto& chunk : table->column(0)->chunks()) {
      if (chunk->type_id() != arrow::Type::DOUBLE) {
        return arrow::Status::IOError(metrics_.file().name, ": column '", table->field(0)->name(), "' is of type ",
                                      chunk->type()->ToString(), ", and doubles are wanted; compute the metrics anew");
      }
      const auto& doubles = static_cast<const arrow::DoubleArray&>(*chunk);
      values.insert(values.end(), doubles.raw_values(), doubles.raw_values() + doubles.length());
    }
  }
  std::shared_ptr<arrow::Table> table;
  ARROW_ASSIGN_OR_RAISE(table, reader->ReadRowGroup(group, {kIdPlace}));
  ARROW_ASSIGN_OR_RAISE(const auto combined, table->CombineChunksToBatch());
  ARROW_ASSIGN_OR_RAISE(ids_, TextColumn(*combined, combined->schema()->field(0)->name()));
  group_ = group;
  return arrow::Status::OK();
}

arrow::Result<std::vector<double>> KnownMetrics::Reader::Read(int64_t first_row, int64_t rows,
                                                              const arrow::StringArray* ids) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(rows) * metrics_.columns_.size());
  for (int64_t row = first_row; row < first_row + rows; ++row) {
    const auto end = std::ranges::upper_bound(metrics_.group_ends_, row);
    if (end == metrics_.group_ends_.end()) return arrow::Status::IOError(metrics_.file().name, ": has too few rows");
    const auto group = static_cast<int>(end - metrics_.group_ends_.begin());
    if (group != group_) ARROW_RETURN_NOT_OK(Load(group));
    const int64_t before = group == 0 ? 0 : metrics_.group_ends_[static_cast<size_t>(group) - 1];
    const int64_t of_batch = row - first_row;
    if (ids != nullptr && ids->IsValid(of_batch) && ids->GetView(of_batch) != ids_->GetView(row - before)) {
      return arrow::Status::Invalid("--metrics ", metrics_.file().name, ": row ", row, " is of the document '",
                                    ids_->GetView(row - before), "', and that of the input is '",
                                    ids->GetView(of_batch), "': they are not of the same documents in the same order; ",
                                    "compute the metrics anew");
    }
    for (const auto& column : columns_) {
      values.push_back(column.empty() ? std::numeric_limits<double>::quiet_NaN()
                                      : column[static_cast<size_t>(row - before)]);
    }
  }
  return values;
}

}  // namespace uzushio
