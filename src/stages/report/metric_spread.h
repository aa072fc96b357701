// How the metrics of a table are spread: two passes over it.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stages/report/document_sample.h"
#include "stages/report/metrics_table.h"

namespace uzushio {

struct MetricSpread {
  TextSizes total;           // of all documents
  nlohmann::json columns;    // of each column, as the page takes it
  std::vector<double> sums;  // of each column; NaN left out
  std::vector<DocumentSample::Document> sample;
};

// Goes through the table, twice: for quantiles and a sample of `sample` documents; then for exact counts between them,
// and between the thresholds of the chain, in `most_bins` of a column. The same for any `threads`. `on_progress` gets
// the share that is done.
arrow::Result<MetricSpread> SpreadOf(const MetricsTable& table, size_t sample, size_t most_bins, int threads,
                                     int64_t memory, const std::function<void(double)>& on_progress);

// The edges of bins of a column: rising 32-bit numbers. `quantiles` are of its values, the least first and the greatest
// last; a value lies in the bin of the last edge that is not above it. Both ends of each threshold are edges, so that
// what it removes are whole bins; of more than `most_bins`, the last are left out. The room that they leave is shared
// evenly by the documents; a value that many of them have has a bin of its own, which ends at the next 32-bit number.
// So has the greatest value, as its edge is there twice.
std::vector<float> EdgesOf(const std::vector<double>& quantiles, const std::vector<Threshold>& thresholds,
                           size_t most_bins);

}  // namespace uzushio
