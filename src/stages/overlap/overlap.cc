#include "stages/overlap/overlap.h"

#include <arrow/array.h>
#include <arrow/compute/initialize.h>
#include <fmt/format.h>
#include <xxhash.h>

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
#include "base/utf8.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/parquet_file.h"
#include "datasets/row_reader.h"
#include "datasets/table_writer.h"
#include "document/markup.h"
#include "document/paragraph_hash.h"
#include "document/paragraph_writer.h"
#include "stages/overlap/shared_values.h"
#include "statistics/folder.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

constexpr double kReading = 0.8;  // of the progress
constexpr int64_t kStatisticsRows = 4096;
constexpr std::string_view kBetween = "\n\n";  // paragraphs
constexpr std::pair<ValueKind, const char*> kValueNames[] = {
    {ValueKind::kUrl, "urls"}, {ValueKind::kDocument, "documents"}, {ValueKind::kParagraph, "paragraphs"}};

// A dataset as it is read.
struct Source {
  bool is_statistics = false;
  std::vector<Split> statistics;
  RowInputs rows;  // of documents
  bool has_urls = false;

  bool Has(ValueKind kind) const {
    if (kind == ValueKind::kUrl) return has_urls;
    return kind == ValueKind::kParagraph || !is_statistics;
  }
  size_t splits() const { return is_statistics ? statistics.size() : rows.splits.size(); }
};

// What was read of a dataset.
struct Read {
  int64_t documents = 0;
  int64_t without_text = 0;
  int64_t without_url = 0;
  int64_t paragraphs = 0;
};

ValueHash HashOf(const XXH128_hash_t& hash) { return {hash.high64, hash.low64}; }

// Hands the values of documents on, for one thread.
class ValueReader {
 public:
  ValueReader(const OverlapConfig& config, SharedValues* values)
      : config_(config), writer_(values), read_(config.datasets.size()), state_(XXH3_createState(), &XXH3_freeState) {}

  arrow::Status Take(const arrow::RecordBatch& batch, size_t dataset, bool has_urls,
                     const std::function<arrow::Status(int64_t row)>& bad) {
    ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(batch, config_.text_column));
    std::shared_ptr<arrow::StringArray> urls;
    if (has_urls) {
      ARROW_ASSIGN_OR_RAISE(urls, TextColumn(batch, config_.url_column));
    }
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      const std::string_view text = texts->IsNull(row) ? std::string_view() : texts->GetView(row);
      if (!IsValidUtf8(text)) {
        ARROW_RETURN_NOT_OK(bad(row));
        continue;
      }
      ++read_[dataset].documents;
      ARROW_RETURN_NOT_OK(TakeText(dataset, text));
      if (has_urls) ARROW_RETURN_NOT_OK(TakeUrl(dataset, urls->IsNull(row) ? std::string_view() : urls->GetView(row)));
    }
    return arrow::Status::OK();
  }

  arrow::Status TakeStatistics(const arrow::RecordBatch& batch, size_t dataset) {
    ARROW_ASSIGN_OR_RAISE(const auto hashes, IntegerColumn(batch, "hash"));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      ARROW_RETURN_NOT_OK(TakeParagraph(dataset, hashes->Value(row)));
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() { return writer_.Flush(); }
  const Read& read(size_t dataset) const { return read_[dataset]; }

 private:
  // A document is its paragraphs' plain texts: marks and paths make no difference.
  arrow::Status TakeText(size_t dataset, std::string_view document) {
    XXH3_128bits_reset(state_.get());
    bool is_empty = true;
    ParagraphReader reader(document);
    while (const auto paragraph = reader.Next()) {
      const std::string_view text = PlainParagraph(*paragraph, &buffer_);
      if (text.empty()) continue;
      is_empty = false;
      ARROW_RETURN_NOT_OK(TakeParagraph(dataset, ParagraphHash(text)));
      XXH3_128bits_update(state_.get(), text.data(), text.size());
      XXH3_128bits_update(state_.get(), kBetween.data(), kBetween.size());
    }
    read_[dataset].without_text += is_empty ? 1 : 0;
    if (is_empty) return arrow::Status::OK();
    return writer_.Add(ValueKind::kDocument, dataset, HashOf(XXH3_128bits_digest(state_.get())));
  }

  arrow::Status TakeUrl(size_t dataset, std::string_view url) {
    read_[dataset].without_url += url.empty() ? 1 : 0;
    if (url.empty()) return arrow::Status::OK();
    return writer_.Add(ValueKind::kUrl, dataset, HashOf(XXH3_128bits(url.data(), url.size())));
  }

  arrow::Status TakeParagraph(size_t dataset, int64_t hash) {
    ++read_[dataset].paragraphs;
    return writer_.Add(ValueKind::kParagraph, dataset, {static_cast<uint64_t>(hash), 0});
  }

  const OverlapConfig& config_;
  SharedValues::Writer writer_;
  std::vector<Read> read_;  // of each dataset
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
  std::string buffer_;
};

arrow::Result<Source> OpenSource(const OverlapConfig& config, const OverlapDataset& dataset,
                                 const ReaderMemory& memory) {
  Source source;
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
arrow::Status ReadSource(const Source& source, size_t dataset, size_t split, const ReaderMemory& memory,
                         ValueReader* reader, QuarantineWriter* quarantine, Counters* quarantined) {
  if (source.is_statistics) {
    const Split& from = source.statistics[split];
    const RowGroupOptions options = {
        .columns = {PlaceInParquet(*from.metadata, "hash")}, .batch_rows = kStatisticsRows, .memory = memory};
    const arrow::Status read =
        ReadRowGroup(*from.file, from.metadata, from.row_group, options,
                     [&](const arrow::RecordBatch& batch) { return reader->TakeStatistics(batch, dataset); });
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
        ARROW_RETURN_NOT_OK(reader->Take(*batch, dataset, source.has_urls, [&](int64_t in_batch) {
          return bad(BadText(source.rows, from, *batch, row, in_batch));
        }));
        row += batch->num_rows();
        return arrow::Status::OK();
      },
      bad);
}

// Reads all datasets; returns what was read of each.
arrow::Result<std::vector<Read>> ReadSources(const OverlapConfig& config, const std::vector<Source>& sources,
                                             const PartitionsPlan& plan, const std::filesystem::path& work,
                                             SharedValues* values, Counters* quarantined,
                                             const std::function<void(double)>& on_progress) {
  std::vector<std::pair<size_t, size_t>> splits;  // dataset, and which of its splits
  for (size_t i = 0; i < sources.size(); ++i) {
    for (size_t split = 0; split < sources[i].splits(); ++split) splits.emplace_back(i, split);
  }
  std::vector<std::unique_ptr<ValueReader>> readers;
  readers.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) readers.push_back(std::make_unique<ValueReader>(config, values));
  std::mutex mutex;
  size_t done = 0;
  ARROW_RETURN_NOT_OK(ParallelFor(config.threads, splits.size(), [&](int thread, size_t i) -> arrow::Status {
    const auto [dataset, split] = splits[i];
    QuarantineWriter quarantine(work, fmt::format("piece-{:05}", i));
    Counters bad;
    ARROW_RETURN_NOT_OK(ReadSource(sources[dataset], dataset, split, plan.reader,
                                   readers[static_cast<size_t>(thread)].get(), &quarantine, &bad));
    ARROW_RETURN_NOT_OK(quarantine.Finish());
    const std::lock_guard lock(mutex);
    quarantined->Add(bad);
    on_progress(static_cast<double>(++done) / static_cast<double>(splits.size()));
    return arrow::Status::OK();
  }));
  std::vector<Read> all(sources.size());
  for (const auto& reader : readers) {
    ARROW_RETURN_NOT_OK(reader->Finish());
    for (size_t i = 0; i < all.size(); ++i) {
      const Read& read = reader->read(i);
      all[i].documents += read.documents;
      all[i].without_text += read.without_text;
      all[i].without_url += read.without_url;
      all[i].paragraphs += read.paragraphs;
    }
  }
  return all;
}

double ShareOf(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The rows of the table.
nlohmann::json Overlaps(const OverlapConfig& config, const std::vector<Source>& sources, const SharedCounts& counts) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [kind, name] : kValueNames) {
    for (size_t a = 0; a < sources.size(); ++a) {
      for (size_t b = a + 1; b < sources.size(); ++b) {
        if (!sources[a].Has(kind) || !sources[b].Has(kind)) continue;
        const int64_t of_a = counts.Both(kind, a, a);
        const int64_t of_b = counts.Both(kind, b, b);
        const int64_t both = counts.Both(kind, a, b);
        const int64_t either = of_a + of_b - both;
        rows.push_back({{"kind", name},
                        {"a", config.datasets[a].name},
                        {"b", config.datasets[b].name},
                        {"countA", of_a},
                        {"countB", of_b},
                        {"both", both},
                        {"either", either},
                        {"shareOfA", ShareOf(both, of_a)},
                        {"shareOfB", ShareOf(both, of_b)},
                        {"jaccard", ShareOf(both, either)}});
      }
    }
  }
  return rows;
}

// What was read of each dataset, and how many distinct values of each kind that it has.
nlohmann::json Datasets(const OverlapConfig& config, const std::vector<Source>& sources, const SharedCounts& counts,
                        const std::vector<Read>& read) {
  nlohmann::json all = nlohmann::json::array();
  for (size_t i = 0; i < sources.size(); ++i) {
    nlohmann::json distinct = nlohmann::json::object();
    for (const auto& [kind, name] : kValueNames) {
      if (sources[i].Has(kind)) distinct[name] = counts.Both(kind, i, i);
    }
    nlohmann::json of = {{"name", config.datasets[i].name}, {"distinct", distinct}};
    if (!config.datasets[i].is_statistics) {
      of["documents"] = read[i].documents;
      of["documents_without_text"] = read[i].without_text;
      if (sources[i].has_urls) of["documents_without_url"] = read[i].without_url;
      of["paragraphs"] = read[i].paragraphs;
    }
    all.push_back(of);
  }
  return all;
}

arrow::FieldVector OverlapFields() {
  arrow::FieldVector fields;
  for (const char* name : {"kind", "a", "b"}) fields.push_back(arrow::field(name, arrow::utf8(), false));
  for (const char* name : {"countA", "countB", "both", "either"}) {
    fields.push_back(arrow::field(name, arrow::int64(), false));
  }
  for (const char* name : {"shareOfA", "shareOfB", "jaccard"}) {
    fields.push_back(arrow::field(name, arrow::float64(), false));
  }
  return fields;
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
  if (names.size() < 2) return arrow::Status::Invalid("name two datasets or more: uzushio overlap A B --output DIR");
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
  const nlohmann::json overlaps = Overlaps(config, sources, counts);
  ARROW_ASSIGN_OR_RAISE(const auto file, WriteOverlaps(overlaps, output->work()));
  result.counts = {{"datasets", Datasets(config, sources, counts, read)},
                   {"overlaps", overlaps},
                   {"quarantined", quarantined.counts()}};
  result.spilled_bytes = space.bytes_written();
  for (const OverlapDataset& dataset : config.datasets) ARROW_RETURN_NOT_OK(CheckUnchanged(dataset.files));
  ARROW_RETURN_NOT_OK(output->Commit({{"counts", result.counts}, {"files", file}}));
  return result;
}

}  // namespace uzushio
