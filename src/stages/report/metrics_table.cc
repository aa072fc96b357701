#include "stages/report/metrics_table.h"

#include <parquet/metadata.h>

#include <algorithm>

#include "base/json.h"
#include "datasets/parquet_file.h"

namespace uzushio {
namespace {

constexpr const char* kIdColumn = "docId";
constexpr int64_t kRowsAtOnce = int64_t{1} << 15;

template <typename Array>
arrow::Result<std::shared_ptr<Array>> ColumnOf(const arrow::RecordBatch& batch, const std::string& name) {
  const auto column = batch.GetColumnByName(name);
  if (column == nullptr || column->type_id() != Array::TypeClass::type_id || column->null_count() > 0) {
    return arrow::Status::Invalid("column '", name, "' is not what uzushio metrics writes; compute the metrics anew");
  }
  return std::static_pointer_cast<Array>(column);
}

}  // namespace

std::vector<double> MetricRows::MetricsOf(int64_t row) const {
  std::vector<double> values;
  values.reserve(metrics.size());
  for (const auto& column : metrics) values.push_back(column->Value(row));
  return values;
}

bool MetricsTable::is_random() const {
  return std::ranges::any_of(rules_, [](const StepRule& step) { return step.rule.sampling.has_value(); });
}

bool MetricsTable::is_normal() const {
  return std::ranges::any_of(rules_, [](const StepRule& step) { return step.rule.normal.has_value(); });
}

bool MetricsTable::is_fixed() const {
  return std::ranges::any_of(rules_, [](const StepRule& step) { return step.rule.is_fixed(); });
}

arrow::Result<MetricsTable> MetricsTable::Open(const ReportOutput& output) {
  MetricsTable table;
  table.name_ = output.name;
  const nlohmann::json& columns = MemberOf(output.configuration(), "columns");
  if (!columns.is_array() || columns.empty()) return output.Damaged("it names no columns");
  for (const nlohmann::json& column : columns) {
    const nlohmann::json& name = MemberOf(column, "name");
    if (!name.is_string()) return output.Damaged("a column has no name");
    table.columns_.push_back(name.get<std::string>());
  }
  table.rules_json_ = MemberOf(output.configuration(), "rules");
  if (table.rules_json_.is_null()) return output.Damaged("it does not say how the chain removes documents");
  auto rules = ReadRules(table.rules_json_, table.columns_.size());
  if (!rules.ok()) return output.Damaged(rules.status().message());
  table.rules_ = std::move(rules).ValueUnsafe();
  ARROW_RETURN_NOT_OK(table.FindPieces(output));
  return table;
}

arrow::Status MetricsTable::FindPieces(const ReportOutput& output) {
  // One, or those that Spark has written, in the order of their numbers.
  ARROW_ASSIGN_OR_RAISE(OutputFiles::Named table, output.Find({kMetricsFile, kMetricsFile}));
  if (table.files.empty() && !table.is_folder) {
    return arrow::Status::Invalid(output.name, "/", kMetricsFile, ": no such file; compute the metrics anew");
  }
  for (InputFile& file : table.files) {
    files_.push_back(std::make_unique<InputFile>(std::move(file)));
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(*files_.back()));
    for (const Split& split : SplitsOf(*files_.back(), metadata)) {
      splits_.push_back(split);
      first_rows_.push_back(documents_);
      documents_ += metadata->RowGroup(split.row_group)->num_rows();
    }
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t said, output.Number(output.counts(), "documents"));
  if (said == documents_) return arrow::Status::OK();
  return arrow::Status::Invalid(output.name, ": ", kMetricsFile, " has ", documents_, " rows, and its mark says ", said,
                                "; compute the metrics anew");
}

arrow::Result<MetricRows> MetricsTable::RowsOf(const arrow::RecordBatch& batch, bool with_ids) const {
  MetricRows rows;
  rows.count = batch.num_rows();
  if (with_ids) {
    ARROW_ASSIGN_OR_RAISE(rows.ids, ColumnOf<arrow::StringArray>(batch, kIdColumn));
  }
  for (const std::string& name : columns_) {
    ARROW_ASSIGN_OR_RAISE(rows.metrics.emplace_back(), ColumnOf<arrow::DoubleArray>(batch, name));
  }
  for (size_t i = 0; i < kSizeColumns.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(rows.sizes[i], ColumnOf<arrow::Int64Array>(batch, kSizeColumns[i]));
  }
  return rows;
}

arrow::Status MetricsTable::Read(size_t split, bool with_ids, const ReaderMemory& memory,
                                 const std::function<arrow::Status(const MetricRows&)>& use) const {
  const Split& from = splits_[split];
  RowGroupOptions options = {.columns = {}, .batch_rows = kRowsAtOnce, .memory = memory};
  std::vector<std::string> names = columns_;
  names.insert(names.end(), kSizeColumns.begin(), kSizeColumns.end());
  if (with_ids) names.emplace_back(kIdColumn);
  for (const std::string& name : names) {
    const int place = PlaceInParquet(*from.metadata, name);
    if (place < 0) {
      return arrow::Status::Invalid(from.file->name, ": there is no column '", name, "'; compute the metrics anew");
    }
    options.columns.push_back(place);
  }
  int64_t row = first_rows_[split];
  arrow::Status used;
  const arrow::Status read = ReadRowGroup(*from.file, from.metadata, from.row_group, options,
                                          [&](const arrow::RecordBatch& batch) -> arrow::Status {
                                            ARROW_ASSIGN_OR_RAISE(MetricRows rows, RowsOf(batch, with_ids));
                                            rows.first = row;
                                            row += rows.count;
                                            used = use(rows);
                                            return used;
                                          });
  return NamingFile(*from.file, read, used);
}

}  // namespace uzushio
