#include "stages/report/overlaps.h"

#include <arrow/array.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "datasets/columns.h"
#include "datasets/parquet_file.h"

namespace uzushio {
namespace {

// As `uzushio overlap` takes (stages/overlap/shared_values.h), which is another stage.
constexpr size_t kMostCompared = 64;
constexpr std::array<const char*, 3> kOverlapKinds = {"urls", "documents", "paragraphs"};

// A row of the table.
struct OverlapRow {
  std::string kind;
  std::string a;
  std::string b;
  int64_t count_a = 0;
  int64_t count_b = 0;
  int64_t both = 0;
};

arrow::Status AppendRows(const arrow::RecordBatch& batch, std::vector<OverlapRow>* rows) {
  ARROW_ASSIGN_OR_RAISE(const auto kinds, TextColumn(batch, "kind"));
  ARROW_ASSIGN_OR_RAISE(const auto a, TextColumn(batch, "a"));
  ARROW_ASSIGN_OR_RAISE(const auto b, TextColumn(batch, "b"));
  ARROW_ASSIGN_OR_RAISE(const auto count_a, IntegerColumn(batch, "countA"));
  ARROW_ASSIGN_OR_RAISE(const auto count_b, IntegerColumn(batch, "countB"));
  ARROW_ASSIGN_OR_RAISE(const auto both, IntegerColumn(batch, "both"));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    rows->push_back({kinds->GetString(row), a->GetString(row), b->GetString(row), count_a->Value(row),
                     count_b->Value(row), both->Value(row)});
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<OverlapRow>> ReadOverlapRows(const InputFile& table) {
  ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadParquetMetadata(table));
  constexpr auto kMostRows = static_cast<int64_t>(kOverlapKinds.size() * kMostCompared * (kMostCompared - 1) / 2);
  if (metadata->num_rows() > kMostRows) {
    return arrow::Status::Invalid(table.name, ": has ", metadata->num_rows(), " rows; uzushio overlap writes ",
                                  kMostRows, " at most");
  }
  std::vector<OverlapRow> rows;
  for (int i = 0; i < metadata->num_row_groups(); ++i) {
    const arrow::Status read = ReadRowGroup(table, metadata, i, {.columns = {}, .memory = {}},
                                            [&](const auto& batch) { return AppendRows(batch, &rows); });
    if (!read.ok()) return read.WithMessage(table.name, ": is no output of uzushio overlap: ", read.message());
  }
  return rows;
}

// The datasets in the order in which they were given: all have paragraphs, and the pairs of each are in order.
arrow::Result<std::vector<std::string>> DatasetsOf(const std::vector<OverlapRow>& rows, const std::string& table) {
  std::vector<std::string> datasets;
  for (const OverlapRow& row : rows) {
    if (row.kind != kOverlapKinds.back()) continue;
    for (const std::string& name : {row.a, row.b}) {
      if (std::ranges::find(datasets, name) == datasets.end()) datasets.push_back(name);
    }
    if (datasets.size() > kMostCompared) {
      return arrow::Status::Invalid(table, ": has more than ", kMostCompared, " datasets");
    }
  }
  return datasets;
}

// The matrices of a kind; null where no two datasets have it.
arrow::Result<nlohmann::json> MatrixOf(const char* kind, const std::vector<OverlapRow>& rows,
                                       const std::vector<std::string>& datasets, const std::string& table) {
  const size_t size = datasets.size();
  nlohmann::json counts(size, nullptr);
  nlohmann::json both(size, nlohmann::json(size, nullptr));
  bool is_any = false;
  for (const OverlapRow& row : rows) {
    if (row.kind != kind) continue;
    is_any = true;
    const auto a = static_cast<size_t>(std::ranges::find(datasets, row.a) - datasets.begin());
    const auto b = static_cast<size_t>(std::ranges::find(datasets, row.b) - datasets.begin());
    if (a == size || b == size) {
      return arrow::Status::Invalid(table, ": ", kind, " of ", row.a, " and ", row.b, ", whose paragraphs it lacks");
    }
    counts[a] = both[a][a] = row.count_a;
    counts[b] = both[b][b] = row.count_b;
    both[a][b] = both[b][a] = row.both;
  }
  if (!is_any) return nullptr;
  return nlohmann::json{{"kind", kind}, {"counts", counts}, {"both", both}};
}

}  // namespace

arrow::Result<nlohmann::json> OverlapOf(const std::string& name, const InputFile& table) {
  ARROW_ASSIGN_OR_RAISE(const auto rows, ReadOverlapRows(table));
  ARROW_ASSIGN_OR_RAISE(const auto datasets, DatasetsOf(rows, table.name));
  nlohmann::json kinds = nlohmann::json::array();
  for (const char* kind : kOverlapKinds) {
    ARROW_ASSIGN_OR_RAISE(nlohmann::json matrix, MatrixOf(kind, rows, datasets, table.name));
    if (!matrix.is_null()) kinds.push_back(std::move(matrix));
  }
  return nlohmann::json{{"name", name}, {"datasets", datasets}, {"kinds", std::move(kinds)}};
}

}  // namespace uzushio
