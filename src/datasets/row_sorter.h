// Sorts rows by a number, out of core.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace uzushio {

// Rows with a key each; rows of equal keys stay in the order in which they came.
class RowSorter {
 public:
  // Keeps some `memory` bytes of rows; sorted runs go to files without names in `folder`, and are merged as they grow
  // many: a few dozen files are open at once.
  RowSorter(const std::shared_ptr<arrow::Schema>& schema, int64_t memory, std::filesystem::path folder);
  ~RowSorter();

  // Adds the rows of a batch, with their keys. Keys are numbers (not NaN).
  arrow::Status Add(const std::shared_ptr<arrow::RecordBatch>& batch, std::span<const double> keys);
  // Calls `use` with all rows in order of keys.
  arrow::Status Finish(const std::function<arrow::Status(const arrow::RecordBatch&)>& use);

  int64_t runs() const { return static_cast<int64_t>(runs_.size()); }

 private:
  class Run;
  using Use = std::function<arrow::Status(const arrow::RecordBatch&)>;
  arrow::Status EndRun();
  arrow::Status MergeLast(size_t runs);
  arrow::Status Merge(size_t first, const Use& use);

  std::shared_ptr<arrow::Schema> schema_;  // with the key in the first column
  int64_t memory_;
  std::filesystem::path folder_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> kept_;
  int64_t kept_bytes_ = 0;
  std::vector<std::unique_ptr<Run>> runs_;  // in the order of their rows
};

}  // namespace uzushio
