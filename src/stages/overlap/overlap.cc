#include "stages/overlap/overlap.h"

#include <arrow/compute/initialize.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/counters.h"
#include "base/json.h"
#include "base/memory_plan.h"
#include "base/parallel.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/parquet_file.h"
#include "datasets/row_reader.h"
#include "datasets/table_writer.h"
#include "stages/overlap/overlap_rows.h"
#include "stages/overlap/shared_values.h"
#include "stages/overlap/value_reader.h"
#include "statistics/folder.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

constexpr double kReading = 0.8;  // of the progress
constexpr int64_t kStatisticsRows = 4096;

// A dataset as it is read.
struct Source : ComparedDataset {
  std::vector<Split> statistics;
  RowInputs rows;  // of documents

  size_t splits() const { return is_statistics ? statistics.size() : rows.splits.size(); }
};

arrow::Result<Source> OpenSource(const OverlapConfig& config, const OverlapDataset& dataset,
                                 const ReaderMemory& memory) {
  Source source;
  source.name = dataset.name;
  source.is_statistics = dataset.is_statistics;
  if (dataset.is_statistics) {
    ARROW_ASSIGN_OR_RAISE(source.statistics, FindStatistics(dataset.files));
    return source;
  }
  ARROW_ASSIGN_OR_RAISE(source.rows, FindRows(dataset.files, config.text_column, "", memory));
  source.has_urls = source.rows.schema->GetFieldIndex(config.url_column) >= 0;
  if (source.has_urls) {
    const arrow::Status found = CheckTextColumn(*source.rows.schema, config.url_column);
    if (!found.ok()) return found.WithMessage(dataset.name, ": ", found.message());
  }
  return source;
}

// Datasets may be without URLs; a column that was named and that none has is a mistake.
arrow::Status CheckUrlColumn(const OverlapConfig& config, const std::vector<Source>& sources) {
  if (std::ranges::any_of(sources, &Source::has_urls)) return arrow::Status::OK();
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].is_statistics) continue;
    const arrow::Status given = CheckGivenColumn(*sources[i].rows.schema, config.url_column, kUsualUrlColumn);
    return given.ok() ? given : given.WithMessage("--url-column: ", config.datasets[i].name, ": ", given.message());
  }
  return arrow::Status::OK();
}

// One split of a dataset, by one thread. Rows that can not be read go to a file of their own.
arrow::Status ReadSource(const Source& source, size_t split, const ReaderMemory& memory, ValueReader* reader,
                         QuarantineWriter* quarantine, Counters* quarantined) {
  if (source.is_statistics) {
    const Split& from = source.statistics[split];
    const RowGroupOptions options = {
        .columns = {PlaceInParquet(*from.metadata, "hash")}, .batch_rows = kStatisticsRows, .memory = memory};
    const arrow::Status read =
        ReadRowGroup(*from.file, from.metadata, from.row_group, options,
                     [&](const arrow::RecordBatch& batch) { return reader->TakeStatistics(batch); });
    return read.ok() ? read : read.WithMessage(from.file->name, ": ", read.message());
  }
  const RowSplit& from = source.rows.splits[split];
  const auto bad = [&](const QuarantinedRecord& record) {
    quarantined->Add(record.reason);
    return quarantine->Append(record);
  };
  int64_t row = 0;
  return ReadRows(
      source.rows, from,
      [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
        ARROW_RETURN_NOT_OK(reader->Take(
            *batch, [&](int64_t in_batch) { return bad(BadText(source.rows, from, *batch, row, in_batch)); }));
        row += batch->num_rows();
        return arrow::Status::OK();
      },
      bad);
}

// Reads all datasets; returns what was read of each.
arrow::Result<std::vector<ReadValues>> ReadSources(const OverlapConfig& config, const std::vector<Source>& sources,
                                                   const PartitionsPlan& plan, const std::filesystem::path& work,
                                                   SharedValues* values, Counters* quarantined,
                                                   const std::function<void(double)>& on_progress) {
  std::vector<std::pair<size_t, size_t>> splits;  // dataset, and which of its splits
  for (size_t i = 0; i < sources.size(); ++i) {
    for (size_t split = 0; split < sources[i].splits(); ++split) splits.emplace_back(i, split);
  }
  std::vector<SharedValues::Writer> writers(static_cast<size_t>(config.threads), SharedValues::Writer(values));
  std::vector<ReadValues> all(sources.size());
  std::mutex mutex;
  size_t done = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, splits.size(), [&](int thread, size_t i) -> arrow::Status {
    const size_t dataset = splits[i].first;
    SharedValues::Writer& writer = writers[static_cast<size_t>(thread)];
    ValueReader reader(
        config.text_column, sources[dataset].has_urls ? config.url_column : "",
        [&writer, dataset](ValueKind kind, const ValueHash& hash) { return writer.Add(kind, dataset, hash); });
    QuarantineWriter quarantine(work, fmt::format("piece-{:05}", i));
    Counters bad;
    ARROW_RETURN_NOT_OK(ReadSource(sources[dataset], splits[i].second, plan.reader, &reader, &quarantine, &bad));
    ARROW_RETURN_NOT_OK(quarantine.Finish());
    const std::lock_guard lock(mutex);
    all[dataset].Add(reader.read());
    quarantined->Add(bad);
    on_progress(static_cast<double>(++done) / static_cast<double>(splits.size()));
    return arrow::Status::OK();
  }));
  for (SharedValues::Writer& writer : writers) ARROW_RETURN_NOT_OK(writer.Flush());
  return all;
}

// What was read of each dataset, and how many distinct values of each kind that it has.
nlohmann::json Datasets(const std::vector<Source>& sources, const SharedCounts& counts,
                        const std::vector<ReadValues>& read) {
  nlohmann::json all = nlohmann::json::array();
  for (size_t i = 0; i < sources.size(); ++i) {
    nlohmann::json distinct = nlohmann::json::object();
    for (const auto& [kind, name] : kValueNames) {
      if (sources[i].Has(kind)) distinct[name] = counts.Both(kind, i, i);
    }
    nlohmann::json of = {{"name", sources[i].name}, {"distinct", distinct}};
    if (!sources[i].is_statistics) {
      of["documents"] = read[i].documents;
      of["documents_without_text"] = read[i].without_text;
      if (sources[i].has_urls) of["documents_without_url"] = read[i].without_url;
      of["paragraphs"] = read[i].paragraphs;
    }
    all.push_back(of);
  }
  return all;
}

arrow::Result<nlohmann::json> WriteOverlaps(const nlohmann::json& rows, const std::filesystem::path& work) {
  ARROW_ASSIGN_OR_RAISE(const auto table, TableWriter::Create(work / kOverlapFile, arrow::schema(OverlapFields())));
  for (const nlohmann::json& row : rows) {
    for (const auto& field : OverlapFields()) {
      const nlohmann::json& value = row[field->name()];
      if (field->type()->id() == arrow::Type::STRING) {
        table->Text(value.get_ref<const std::string&>());
      } else if (field->type()->id() == arrow::Type::INT64) {
        table->Int64(value.get<int64_t>());
      } else {
        table->Double(value.get<double>());
      }
    }
    ARROW_RETURN_NOT_OK(table->EndRow());
  }
  ARROW_RETURN_NOT_OK(table->Finish());
  return nlohmann::json{table->file().Written(kOverlapFile, table->rows())};
}

// Whether the member is a list of objects that `check` takes.
template <typename Check>
bool IsListOf(const nlohmann::json& counts, const char* name, Check check) {
  const nlohmann::json& list = MemberOf(counts, name);
  return list.is_array() &&
         std::ranges::all_of(list, [&](const nlohmann::json& item) { return item.is_object() && check(item); });
}

bool AreNumbers(const nlohmann::json& counts) {
  return counts.is_object() &&
         std::ranges::all_of(counts, [](const nlohmann::json& count) { return count.is_number_integer(); });
}

// What an earlier run of the same said has the form that it should have.
arrow::Status CheckCounts(const nlohmann::json& counts) {
  const bool rows = IsListOf(counts, "overlaps", [](const nlohmann::json& row) {
    return std::ranges::all_of(OverlapFields(), [&row](const auto& field) {
      const nlohmann::json& value = MemberOf(row, field->name().c_str());
      return field->type()->id() == arrow::Type::STRING ? value.is_string() : value.is_number();
    });
  });
  const bool datasets = IsListOf(counts, "datasets", [](const nlohmann::json& dataset) {
    return MemberOf(dataset, "name").is_string() && AreNumbers(MemberOf(dataset, "distinct"));
  });
  if (rows && datasets && AreNumbers(MemberOf(counts, "quarantined"))) return arrow::Status::OK();
  return arrow::Status::Invalid("damaged counts of an earlier run");
}

arrow::Result<nlohmann::json> RunOf(const OverlapConfig& config) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const OverlapDataset& dataset : config.datasets) {
    inputs.push_back({{"dataset", dataset.name}, {"files", InputNames(dataset.files)}});
  }
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json configuration, DeclaredOverlap().IdentityOf(config));
  return nlohmann::json{
      {"stage", "overlap"}, {"version", UZUSHIO_VERSION}, {"inputs", inputs}, {"configuration", configuration}};
}

}  // namespace

const Options<OverlapConfig>& DeclaredOverlap() {
  static const auto options =
      Options<OverlapConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .Text("text-column", &OverlapConfig::text_column, "NAME", "Column or key of the texts")
          .InShortHelp()
          .Text("url-column", &OverlapConfig::url_column, "NAME",
                "Column or key of the URLs; datasets without it are not compared by URLs")
          .InShortHelp()
          .With(DeclaredTmp())
          .With(DeclaredAllowIncomplete());
  return options;
}

arrow::Result<OverlapDataset> FindOverlapDataset(const std::string& argument, const std::string& text_column) {
  OverlapDataset dataset;
  dataset.name = WithoutCredentials(NameOfPath(argument));
  ARROW_ASSIGN_OR_RAISE(dataset.files, ResolveInputs({argument}, kDocumentSuffixes));
  if (dataset.files.empty() || !IsParquet(dataset.files.front().name)) return dataset;
  const auto columns_of = [](const InputFile& file) -> arrow::Result<std::shared_ptr<arrow::Schema>> {
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(file));
    return ParquetColumns(*metadata);
  };
  ARROW_ASSIGN_OR_RAISE(const auto columns, columns_of(dataset.files.front()));
  const auto has = [&columns](const std::string& name) { return columns->GetFieldIndex(name) >= 0; };
  dataset.is_statistics = has("hash") && has("exactFreq") && !has(text_column);
  if (!dataset.is_statistics) return dataset;
  ARROW_ASSIGN_OR_RAISE(dataset.files, ResolveStatistics({argument}));
  ARROW_ASSIGN_OR_RAISE(const auto of_statistics, columns_of(dataset.files.front()));
  dataset.is_whole = IsIntermediate(*of_statistics);
  return dataset;
}

arrow::Status CheckOverlapNames(const std::vector<std::string>& names) {
  if (names.size() < 2) return arrow::Status::Invalid("name two datasets or more, to see what they share");
  if (names.size() > kMostDatasets) {
    return arrow::Status::Invalid(names.size(), " datasets: at most ", kMostDatasets, " can be compared at once");
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second)
      return arrow::Status::Invalid(WithoutCredentials(name), ": named twice; leave one out");
  }
  return arrow::Status::OK();
}

arrow::Result<OverlapResult> RunOverlap(const OverlapConfig& config,
                                        const std::function<void(double, const std::string&)>& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  const PartitionsPlan plan = PlanPartitions(config.memory, config.threads);
  std::vector<Source> sources;
  for (const OverlapDataset& dataset : config.datasets) {
    ARROW_ASSIGN_OR_RAISE(sources.emplace_back(), OpenSource(config, dataset, plan.reader));
  }
  ARROW_RETURN_NOT_OK(CheckUrlColumn(config, sources));
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json run, RunOf(config));
  ARROW_ASSIGN_OR_RAISE(const auto output, OutputFolder::Open(config.output, run, config.overwrite, config.tmp));
  OverlapResult result;
  if (output->done()) {
    result.was_done = true;
    ARROW_ASSIGN_OR_RAISE(result.counts, output->Counts());
    ARROW_RETURN_NOT_OK(CheckCounts(result.counts));
    return result;
  }
  TextForms forms;
  for (const OverlapDataset& dataset : config.datasets) {
    ARROW_RETURN_NOT_OK(CheckDatasets(dataset.files, config.allow_incomplete, config.threads, &forms));
  }
  SpillSpace space(config.tmp);
  SharedValues values(sources.size(), config.threads, plan, &space);
  Counters quarantined;
  ARROW_ASSIGN_OR_RAISE(const auto read,
                        ReadSources(config, sources, plan, output->work(), &values, &quarantined,
                                    [&on_progress](double share) { on_progress(kReading * share, "reading"); }));
  on_progress(kReading, "counting");
  ARROW_ASSIGN_OR_RAISE(const SharedCounts counts, values.Count());
  const std::vector<ComparedDataset> compared(sources.begin(), sources.end());
  const nlohmann::json overlaps = OverlapRows(compared, counts);
  ARROW_ASSIGN_OR_RAISE(const auto file, WriteOverlaps(overlaps, output->work()));
  result.counts = {
      {"datasets", Datasets(sources, counts, read)}, {"overlaps", overlaps}, {"quarantined", quarantined.counts()}};
  result.spilled_bytes = space.bytes_written();
  for (const OverlapDataset& dataset : config.datasets) ARROW_RETURN_NOT_OK(CheckUnchanged(dataset.files));
  ARROW_RETURN_NOT_OK(output->Commit({{"counts", result.counts}, {"files", file}}));
  return result;
}

}  // namespace uzushio
