// Values as batches, for engines that bring equal ones together and know the datasets of each as bits.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stages/overlap/shared_values.h"
#include "stages/overlap/value_reader.h"

namespace uzushio {

// Reads one dataset for one task.
class ValueBatches {
 public:
  // Without `url_column`, no URLs are read. Statistics have neither column.
  ValueBatches(size_t dataset, std::string text_column, std::string url_column, bool is_statistics);
  ValueBatches(const ValueBatches&) = delete;
  ValueBatches& operator=(const ValueBatches&) = delete;

  // The values of a batch, but for some that came lately: int64 `high` and `rest`, which equal values have in common,
  // and `datasets`, the bit of this one. Sets `bad` to the rows whose text is not UTF-8.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Take(const arrow::RecordBatch& batch, std::vector<int64_t>* bad);
  const ReadValues& read() const { return reader_.read(); }

 private:
  int64_t dataset_bit_;
  bool is_statistics_;
  RecentValues recent_;
  std::vector<int64_t> highs_;
  std::vector<int64_t> rests_;
  ValueReader reader_;
};

// Counts the distinct values of a batch, by its columns `rest` and `datasets`.
arrow::Status CountValues(const arrow::RecordBatch& batch, SharedCounts* counts);
// The counts that are not 0: int32 `kind`, `a`, `b`, and int64 `both`.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ToBatch(const SharedCounts& counts);
// Adds what ToBatch has made.
arrow::Status AddBatch(const arrow::RecordBatch& batch, SharedCounts* counts);

}  // namespace uzushio
