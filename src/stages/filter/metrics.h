// The stage `metrics`: every metric of a chain for every document; and reading them again.
#pragma once

#include <arrow/array.h>
#include <arrow/result.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counters.h"
#include "filters/chain.h"
#include "stages/filter/kernel.h"
#include "stages/filter/metrics_chain.h"
#include "stages/filter/options.h"
#include "stages/filter/shares.h"
#include "storage/stage_options.h"

namespace uzushio {

inline constexpr const char* kSortedFolder = ".uzushio/sorted";

struct MetricsConfig : StageOptions {
  MetricsChain wanted;                       // what `chain` is made of
  std::vector<std::string> properties;       // likewise
  std::vector<MissingFilter> missing;        // of the chain
  std::shared_ptr<const FilterChain> chain;  // not null
  std::string statistics;
  SparkIndex on_spark;
  std::string sorted_by;  // a column
  FilterKernelOptions kernel;
  int64_t shard_bytes = int64_t{1} << 30;

  std::shared_ptr<const FrequencyIndex> index;  // that of `statistics`, as the run opens it
};

const Options<MetricsConfig>& DeclaredMetrics();

// How a metric is spread.
struct MetricSummary {
  std::string name;
  std::vector<double> quantiles;  // at 0, .01, .05, .25, .5, .75, .95, .99, 1; of a sample where there are many
};

struct MetricsResult {
  int64_t documents = 0;
  std::vector<MetricSummary> metrics;
  Counters quarantined;
  bool was_done = false;
};

// What identifies the columns: the name of each and what it was computed by, which `filter --metrics` looks for.
nlohmann::json MetricsColumns(const FilterChain& chain);

// Writes DIR/metrics.parquet: `docId`, a column for each metric and kSizeColumns, a row for each document in the order
// of the input; and DIR/.uzushio/sample.pq, extracts of some of them (datasets/extracts.h). With `sorted_by`, also
// DIR/.uzushio/sorted/part-*.pq: the documents in order of that metric, with its value.
arrow::Result<MetricsResult> RunMetrics(const MetricsConfig& config, const std::function<void(double)>& on_progress);

// Metrics that were computed before, for the columns of a chain.
class KnownMetrics {
 public:
  // Errors: not of all columns; written on Spark, where rows have no order; not of so many documents.
  static arrow::Result<std::unique_ptr<KnownMetrics>> Open(const MetricsFolder& table, const FilterChain& chain,
                                                           int64_t documents);
  ~KnownMetrics();
  // Whether the file is still what it was when it was opened: row groups are read one after another.
  arrow::Status CheckUnchanged() const;
  // A reader for one thread.
  class Reader {
   public:
    explicit Reader(const KnownMetrics* metrics) : metrics_(*metrics) {}
    // The metrics of a batch of documents, of which the first is `first_row`, row by row. `ids` are theirs, null where
    // they have none. Errors: those of the table are others.
    arrow::Result<std::vector<double>> Read(int64_t first_row, int64_t rows, const arrow::StringArray* ids);

   private:
    arrow::Status Load(int group);
    const KnownMetrics& metrics_;
    int group_ = -1;
    std::vector<std::vector<double>> columns_;  // of the group
    std::shared_ptr<arrow::StringArray> ids_;   // of the group
  };

 private:
  KnownMetrics() = default;
  const InputFile& file() const { return files_.front(); }

  std::vector<InputFile> files_;     // the one
  std::vector<int> columns_;         // in the file, of each column of the chain; -1 where it is not needed
  std::vector<int64_t> group_ends_;  // rows before the end of each row group
};

}  // namespace uzushio
