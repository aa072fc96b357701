#include "stages/decontaminate/decontaminate.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/initialize.h>
#include <arrow/util/byte_size.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/counters.h"
#include "base/json.h"
#include "base/memory_plan.h"
#include "base/ordered.h"
#include "base/utf8.h"
#include "contamination/document_search.h"
#include "datasets/columns.h"
#include "datasets/dataset.h"
#include "datasets/dataset_check.h"
#include "datasets/quarantine_writer.h"
#include "datasets/row_reader.h"
#include "datasets/shard_writer.h"
#include "datasets/table_writer.h"
#include "document/paragraph_hash.h"
#include "filters/declaration.h"
#include "filters/filter_document.h"
#include "filters/list.h"
#include "filters/paragraph_bound.h"
#include "storage/output_folder.h"

namespace uzushio {
namespace {

constexpr int64_t kDecontaminatedShardBytes = int64_t{1} << 30;

// A row of the report. Characters are those of the plain text, whose paragraphs an empty line parts.
struct FoundItem {
  uint32_t item = 0;
  std::string doc_id;
  std::string url;
  const char* part = "";
  int64_t start = 0;
  int64_t length = 0;
  std::string text;
  int64_t longest = 0;  // codes, as the rest
  int64_t covered = 0;
  int64_t counted = 0;
  double share = 0;

  int64_t bytes() const { return static_cast<int64_t>(sizeof(FoundItem) + doc_id.size() + url.size() + text.size()); }
};

// What comes of a batch.
struct SearchedBatch {
  std::shared_ptr<arrow::RecordBatch> kept;  // null: none
  int64_t documents = 0;
  int64_t text_bytes = 0;
  std::vector<FoundItem> found;  // document by document, in the order of the text
};

struct SearchTotals {
  int64_t documents = 0;
  int64_t kept = 0;
  int64_t text_bytes = 0;
  std::vector<bool> found;  // of the items
};

const char* ItemPartName(size_t part) { return part == 0 ? "question" : part == 1 ? "answer" : "choice"; }

// By the names of the filter's parameters.
nlohmann::json FoldingIdentity(const FoldingOptions& folding) {
  return {{"width", folding.width},
          {"case", folding.upper_case},
          {"kana", folding.kana},
          {"spaces", folding.spaces},
          {"punctuation", folding.punctuation}};
}

Options<ItemColumns> ColumnsOfItems() {
  return Options<ItemColumns>()
      .Text("question", &ItemColumns::question, "NAME", "Column or key of questions, or of any texts")
      .InShortHelp()
      .Text("choices", &ItemColumns::choices, "NAME",
            "Columns of choices: texts, or arrays of them; files without them are fine; may be repeated")
      .InShortHelp()
      .Text("answer", &ItemColumns::answer, "NAME",
            "Column of answers: a text, the letter or label of a choice, or its number from 0")
      .InShortHelp();
}

arrow::FieldVector ReportFields() {
  arrow::FieldVector fields;
  const auto add = [&fields](const std::shared_ptr<arrow::DataType>& type, std::initializer_list<const char*> names) {
    for (const char* name : names) fields.push_back(arrow::field(name, type, false));
  };
  add(arrow::utf8(), {"benchmark", "file"});
  add(arrow::int64(), {"row"});
  add(arrow::utf8(), {"itemId", "docId", "url", "part"});
  add(arrow::int64(), {"start", "length"});
  add(arrow::utf8(), {"text"});
  add(arrow::int64(), {"longest", "covered", "counted"});
  add(arrow::float64(), {"share"});
  return fields;
}

// Searches batches, for one thread.
class DocumentSearcher {
 public:
  explicit DocumentSearcher(const DecontaminateConfig& config)
      : config_(config), memory_(PlanFilter(config.memory, config.threads).reader) {}

  arrow::Result<SearchedBatch> Search(const std::shared_ptr<arrow::RecordBatch>& batch, bool has_urls,
                                      const std::function<arrow::Status(int64_t row)>& bad) {
    ARROW_ASSIGN_OR_RAISE(const auto texts, TextColumn(*batch, config_.text_column));
    ARROW_ASSIGN_OR_RAISE(const auto ids, IdColumn(*batch, config_.id_column));
    std::shared_ptr<arrow::StringArray> urls;
    if (has_urls) {
      ARROW_ASSIGN_OR_RAISE(urls, TextColumn(*batch, config_.url_column));
    }
    const auto value_of = [](const std::shared_ptr<arrow::StringArray>& column, int64_t row) {
      return column == nullptr || column->IsNull(row) ? std::string_view() : column->GetView(row);
    };
    SearchedBatch searched;
    arrow::Int64Builder kept;
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      const std::string_view text = value_of(texts, row);
      if (!IsValidUtf8(text)) {
        ARROW_RETURN_NOT_OK(bad(row));
        continue;
      }
      ++searched.documents;
      searched.text_bytes += static_cast<int64_t>(text.size());
      ARROW_RETURN_NOT_OK(CheckParagraphs(value_of(ids, row), text, memory_));
      document_.Parse({}, text);
      if (!IsContaminated()) {
        ARROW_RETURN_NOT_OK(kept.Append(row));
        continue;
      }
      const bool has_id = ids != nullptr && ids->IsValid(row) && IsValidUtf8(ids->GetView(row));
      const std::string id =
          has_id ? std::string(ids->GetView(row)) : fmt::format("{:016x}", static_cast<uint64_t>(ParagraphHash(text)));
      const std::string_view url = value_of(urls, row);
      Report(id, IsValidUtf8(url) ? url : std::string_view(), &searched.found);
    }
    if (kept.length() == batch->num_rows()) {
      searched.kept = batch;
    } else if (kept.length() > 0) {
      ARROW_ASSIGN_OR_RAISE(const auto rows, kept.Finish());
      arrow::ArrayVector columns;
      for (const auto& column : batch->columns()) {
        ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::compute::Take(*column, *rows));
      }
      searched.kept = arrow::RecordBatch::Make(batch->schema(), rows->length(), columns);
    }
    return searched;
  }

 private:
  void Begin(bool with_places) {
    search_.Begin(config_.items.get(), with_places);
    for (const FilterParagraph& paragraph : document_.paragraphs()) search_.Add(paragraph.plain);
  }
  bool IsContaminated() {
    Begin(false);  // most are not, and do without places
    return !search_.FindAbove(config_.high).empty();
  }
  void Report(const std::string& id, std::string_view url, std::vector<FoundItem>* found) {
    Begin(true);
    std::vector<std::pair<DocumentSearch::Span, const ItemMatch*>> spans;
    for (const ItemMatch& match : search_.FindAbove(config_.high))
      spans.emplace_back(search_.LongestRun(match), &match);
    std::ranges::stable_sort(spans, {}, [](const auto& one) { return one.first.begin; });
    const std::string_view text = search_.text();
    size_t counted = 0;  // bytes whose characters are counted
    int64_t characters = 0;
    for (const auto& [span, match] : spans) {
      characters += CodePoints(text.substr(counted, span.begin - counted));
      counted = span.begin;
      const std::string_view shared = text.substr(span.begin, span.end - span.begin);
      found->push_back({match->item, id, std::string(url), ItemPartName(span.part), characters, CodePoints(shared),
                        std::string(shared), static_cast<int64_t>(span.codes), match->covered, match->pieces,
                        match->share});
    }
  }

  const DecontaminateConfig& config_;
  ReaderMemory memory_;
  FilterDocument document_;
  DocumentSearch search_;
};

// Writes what comes of batches, in their order.
class SearchWriter {
 public:
  SearchWriter(const DecontaminateConfig& config, const std::filesystem::path& work,
               const std::shared_ptr<arrow::Schema>& schema)
      : items_(*config.items),
        kept_(work, {""}, schema, ShardFormat::kParquet, kDecontaminatedShardBytes),
        work_(work) {
    totals_.found.resize(items_.index().size());
  }
  arrow::Status Open() {
    ARROW_ASSIGN_OR_RAISE(report_, TableWriter::Create(work_ / kContaminationFile, arrow::schema(ReportFields())));
    return arrow::Status::OK();
  }

  arrow::Status Write(const SearchedBatch& searched) {
    totals_.documents += searched.documents;
    totals_.text_bytes += searched.text_bytes;
    if (searched.kept != nullptr) {
      totals_.kept += searched.kept->num_rows();
      ARROW_RETURN_NOT_OK(kept_.Append(0, *searched.kept));
    }
    for (const FoundItem& found : searched.found) ARROW_RETURN_NOT_OK(WriteRow(found));
    return arrow::Status::OK();
  }
  arrow::Result<std::vector<WrittenFile>> Finish() {
    ARROW_ASSIGN_OR_RAISE(std::vector<WrittenFile> files, kept_.Finish());
    ARROW_RETURN_NOT_OK(report_->Finish());
    files.push_back(report_->file().Written(kContaminationFile, report_->rows()));
    return files;
  }
  const SearchTotals& totals() const { return totals_; }
  int64_t rows() const { return report_->rows(); }

 private:
  arrow::Status WriteRow(const FoundItem& found) {
    const BenchmarkItems::Source source = items_.SourceOf(found.item);
    totals_.found[found.item] = true;
    report_->Text(source.benchmark);
    report_->Text(source.file);
    report_->Int64(static_cast<int64_t>(source.row));
    for (const std::string_view text :
         {source.id, std::string_view(found.doc_id), std::string_view(found.url), std::string_view(found.part)}) {
      report_->Text(text);
    }
    report_->Int64(found.start);
    report_->Int64(found.length);
    report_->Text(found.text);
    for (const int64_t number : {found.longest, found.covered, found.counted}) report_->Int64(number);
    report_->Double(found.share);
    return report_->EndRow();
  }

  const BenchmarkItems& items_;
  ShardWriter kept_;
  std::filesystem::path work_;
  std::unique_ptr<TableWriter> report_;
  SearchTotals totals_;
};

// One run's parallel part.
arrow::Status SearchDocuments(const DecontaminateConfig& config, const RowInputs& records,
                              const std::filesystem::path& work, SearchWriter* writer, Counters* quarantined,
                              const std::function<void(double)>& on_progress) {
  const bool has_urls = records.schema->GetFieldIndex(config.url_column) >= 0;
  if (has_urls) ARROW_RETURN_NOT_OK(CheckTextColumn(*records.schema, config.url_column));
  std::vector<std::unique_ptr<DocumentSearcher>> searchers;
  searchers.reserve(static_cast<size_t>(config.threads));
  for (int i = 0; i < config.threads; ++i) searchers.push_back(std::make_unique<DocumentSearcher>(config));
  std::vector<Counters> bad_of_threads(searchers.size());
  OrderedResults<SearchedBatch> results(PlanFilter(config.memory, config.threads).results,
                                        [writer](const SearchedBatch& searched) { return writer->Write(searched); });
  const auto search = [&](size_t thread, size_t split) -> arrow::Status {
    const RowSplit& from = records.splits[split];
    QuarantineWriter quarantine(work, fmt::format("piece-{:05}", split));
    const auto bad = [&](const QuarantinedRecord& record) {
      bad_of_threads[thread].Add(record.reason);
      return quarantine.Append(record);
    };
    int64_t row = 0;
    const auto use = [&](const std::shared_ptr<arrow::RecordBatch>& batch) -> arrow::Status {
      const auto bad_text = [&](int64_t in_batch) { return bad(BadText(records, from, *batch, row, in_batch)); };
      ARROW_ASSIGN_OR_RAISE(SearchedBatch searched, searchers[thread]->Search(batch, has_urls, bad_text));
      row += batch->num_rows();
      int64_t bytes = searched.kept == nullptr ? 0 : arrow::util::TotalBufferSize(*searched.kept);
      for (const FoundItem& found : searched.found) bytes += found.bytes();
      return results.Add(split, std::move(searched), bytes);
    };
    ARROW_RETURN_NOT_OK(ReadRows(records, from, use, bad));
    return quarantine.Finish();
  };
  ARROW_RETURN_NOT_OK(OrderedFor(config.threads, records.splits, &results, on_progress, search));
  for (const Counters& counters : bad_of_threads) quarantined->Add(counters);
  return arrow::Status::OK();
}

nlohmann::json CountsOf(const DecontaminateConfig& config, const SearchWriter& writer, const Counters& quarantined) {
  const SearchTotals& totals = writer.totals();
  std::vector<int64_t> found(config.items->files().size());
  for (uint32_t item = 0; item < totals.found.size(); ++item) {
    if (totals.found[item]) ++found[config.items->FileOfItem(item)];
  }
  nlohmann::json benchmarks = nlohmann::json::array();
  for (size_t i = 0; i < found.size(); ++i) {
    const BenchmarkItems::File& file = config.items->files()[i];
    benchmarks.push_back({{"name", file.benchmark},
                          {"file", file.name},
                          {"items", file.items},
                          {"too_short", file.too_short},
                          {"boilerplate", file.boilerplate},
                          {"repeated", file.repeated},
                          {"found", found[i]}});
  }
  return {
      {"documents", totals.documents},      {"kept", totals.kept},   {"contaminated", totals.documents - totals.kept},
      {"text_bytes", totals.text_bytes},    {"rows", writer.rows()}, {"benchmarks", benchmarks},
      {"quarantined", quarantined.counts()}};
}

// What an earlier run of the same said has the form that it should have.
bool AreDecontaminationCounts(const nlohmann::json& counts) {
  const auto has_numbers = [](const nlohmann::json& object, std::initializer_list<const char*> names) {
    return std::ranges::all_of(names, [&](const char* name) { return MemberOf(object, name).is_number_integer(); });
  };
  const nlohmann::json& benchmarks = MemberOf(counts, "benchmarks");
  const nlohmann::json& quarantined = MemberOf(counts, "quarantined");
  return has_numbers(counts, {"documents", "kept", "contaminated", "text_bytes", "rows"}) && benchmarks.is_array() &&
         std::ranges::all_of(benchmarks,
                             [&](const nlohmann::json& one) {
                               return MemberOf(one, "name").is_string() &&
                                      has_numbers(one, {"items", "too_short", "boilerplate", "repeated", "found"});
                             }) &&
         quarantined.is_object() &&
         std::ranges::all_of(quarantined, [](const nlohmann::json& count) { return count.is_number_integer(); });
}

arrow::Result<DecontaminateResult> DecontaminatedBefore(const OutputFolder& output) {
  DecontaminateResult result;
  result.was_done = true;
  ARROW_ASSIGN_OR_RAISE(result.counts, output.Counts());
  if (!AreDecontaminationCounts(result.counts)) return arrow::Status::Invalid("damaged counts of an earlier run");
  return result;
}

}  // namespace

const Options<DecontaminateConfig>& DeclaredDecontaminate() {
  static const auto options =
      Options<DecontaminateConfig>()
          .With(DeclaredOutputFolder())
          .Required()
          .Path("against", &DecontaminateConfig::against, "BENCHMARK",
                "Items of benchmarks: files or folders of JSON Lines or Parquet; may be repeated")
          .Required()
          .Several()
          .IdentityMembers([](const DecontaminateConfig& config) {
            return nlohmann::json{{"against", IdentityAsNoted(config.against)},
                                  {"items", fmt::format("{:016x}", config.items->index().checksum())}};
          })
          .With(ColumnsOfItems(), &DecontaminateConfig::columns)
          .Text("item-id-column", Within(&DecontaminateConfig::columns, &ItemColumns::id), "NAME",
                "Column of the items' ids, for the report")
          .Share("high", &DecontaminateConfig::high,
                 "Remove documents that have more than this share of an item's pieces (default: 0.5)")
          .InShortHelp()
          .Text("distinguish", &DecontaminateConfig::distinguish, "WHAT",
                "What is not ignored when texts are compared: width, case, kana, spaces, punctuation; may be repeated")
          .SplitAtCommas()
          .IdentityMembers([](const DecontaminateConfig& config) { return FoldingIdentity(config.folding); })
          .Text("text-column", &DecontaminateConfig::text_column, "NAME", "Column or key of the texts")
          .Text("id-column", &DecontaminateConfig::id_column, "NAME", "Column or key of the document ids")
          .Text("url-column", &DecontaminateConfig::url_column, "NAME", "Column or key of the URLs, for the report")
          .With(DeclaredAllowIncomplete());
  return options;
}

arrow::Status CompleteFolding(DecontaminateConfig* config) {
  FoldingOptions& folding = config->folding;
  for (const std::string& name : config->distinguish) {
    bool* const option = name == "width"         ? &folding.width
                         : name == "case"        ? &folding.upper_case
                         : name == "kana"        ? &folding.kana
                         : name == "spaces"      ? &folding.spaces
                         : name == "punctuation" ? &folding.punctuation
                                                 : nullptr;
    if (option == nullptr) {
      return arrow::Status::Invalid("--distinguish: '", name, "' is none of width, case, kana, spaces and punctuation");
    }
    *option = false;
  }
  return arrow::Status::OK();
}

// Options that are parameters of the filter that removes the same are there as in configurations of chains: `explain`
// reads it.
arrow::Result<nlohmann::json> DecontaminateIdentity(const DecontaminateConfig& config) {
  ARROW_ASSIGN_OR_RAISE(nlohmann::json identity, DeclaredDecontaminate().IdentityOf(config));
  const FilterDeclaration declaration = DeclareContamination();
  nlohmann::json filter = {{"class", declaration.name}};
  for (const FilterParameter& parameter : declaration.parameters) {
    const auto option = identity.find(parameter.name);
    if (option == identity.end()) continue;
    filter[parameter.name] = *option;
    identity.erase(option);
  }
  identity["filters"] = nlohmann::json::array({std::move(filter)});
  return identity;
}

arrow::Result<DecontaminateResult> RunDecontaminate(const DecontaminateConfig& config,
                                                    const std::function<void(double)>& on_progress) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  ARROW_ASSIGN_OR_RAISE(const RowInputs records, FindRows(config.inputs, config.text_column, config.id_column,
                                                          PlanFilter(config.memory, config.threads).reader));
  ARROW_RETURN_NOT_OK(CheckGivenColumn(*records.schema, config.url_column, kUsualUrlColumn));
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json configuration, DecontaminateIdentity(config));
  const nlohmann::json run = IdentityOfRun("decontaminate", config.inputs, configuration);
  ARROW_ASSIGN_OR_RAISE(const auto output, OutputFolder::Open(config.output, run, config.overwrite));
  if (output->done()) return DecontaminatedBefore(*output);
  TextForms forms;
  ARROW_RETURN_NOT_OK(CheckDatasets(config.inputs, config.allow_incomplete, config.threads, &forms));
  SearchWriter writer(config, output->work(), records.schema);
  ARROW_RETURN_NOT_OK(writer.Open());
  Counters quarantined;
  ARROW_RETURN_NOT_OK(SearchDocuments(config, records, output->work(), &writer, &quarantined, on_progress));
  DecontaminateResult result;
  ARROW_ASSIGN_OR_RAISE(const std::vector<WrittenFile> files, writer.Finish());
  for (const WrittenFile& file : files) result.bytes_out += file.bytes;
  result.files = static_cast<int64_t>(files.size());
  result.counts = CountsOf(config, writer, quarantined);
  ARROW_RETURN_NOT_OK(CheckUnchanged(config.inputs));
  ARROW_RETURN_NOT_OK(output->Commit(forms.Mark({{"counts", result.counts}, {"files", files}})));
  return result;
}

}  // namespace uzushio
