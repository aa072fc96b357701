// The files of a table of metrics, and reading them a row group at a time.
#pragma once

#include <arrow/array.h>
#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_plan.h"
#include "datasets/metric_columns.h"
#include "datasets/split.h"
#include "filters/chain_rules.h"
#include "stages/report/report_output.h"
#include "storage/inputs.h"

namespace uzushio {

// Rows of a table: of all documents, in their order.
struct MetricRows {
  std::shared_ptr<arrow::StringArray> ids;                   // null where they were not asked for
  std::vector<std::shared_ptr<arrow::DoubleArray>> metrics;  // of each column
  std::array<std::shared_ptr<arrow::Int64Array>, kSizeColumns.size()> sizes;
  int64_t first = 0;  // row of the table
  int64_t count = 0;

  // Of each column.
  std::vector<double> MetricsOf(int64_t row) const;
  TextSizes SizesOf(int64_t row) const {
    return {sizes[0]->Value(row), sizes[1]->Value(row), sizes[2]->Value(row), sizes[3]->Value(row)};
  }
};

// An output of `metrics`, of the local program (a file) or of Spark (a folder of files).
class MetricsTable {
 public:
  // Errors: its mark is damaged, or of an earlier version; its files are not what the mark says.
  static arrow::Result<MetricsTable> Open(const ReportOutput& output);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<StepRule>& rules() const { return rules_; }
  // As the mark has them.
  const nlohmann::json& rules_json() const { return rules_json_; }
  int64_t documents() const { return documents_; }

  // Whether a filter removes documents at random, by a normal distribution, or by what no parameter moves.
  bool is_random() const;
  bool is_normal() const;
  bool is_fixed() const;

  // Row groups, in order.
  const std::vector<Split>& splits() const { return splits_; }
  // Calls `use` with the rows of one. Nulls, which no stage writes, are an error.
  arrow::Status Read(size_t split, bool with_ids, const ReaderMemory& memory,
                     const std::function<arrow::Status(const MetricRows&)>& use) const;

 private:
  MetricsTable() = default;
  arrow::Status FindPieces(const ReportOutput& output);
  arrow::Result<MetricRows> RowsOf(const arrow::RecordBatch& batch, bool with_ids) const;

  std::string name_;
  std::vector<std::string> columns_;
  std::vector<StepRule> rules_;
  nlohmann::json rules_json_;
  std::vector<std::unique_ptr<InputFile>> files_;
  std::vector<Split> splits_;
  std::vector<int64_t> first_rows_;  // of splits
  int64_t documents_ = 0;
};

}  // namespace uzushio
