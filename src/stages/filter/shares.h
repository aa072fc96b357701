// Values of metrics at which shares of a corpus end, from the table of `uzushio metrics`.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "filters/chain.h"
#include "storage/inputs.h"

namespace uzushio {

// A folder that `uzushio metrics` has written, here, on a store or on Spark, and what its manifest says of the table.
struct MetricsFolder {
  std::string name;              // of the folder, as output_files.h has it
  nlohmann::json columns;        // as MetricsColumns has them
  std::vector<InputFile> files;  // Parquet; of one, where this program wrote it
  bool is_of_spark = false;      // a folder of files, whose rows are in no order

  // `inputs` are as InputNames has them, `statistics` as StatisticsIdentity. Errors: there are no metrics, or they are
  // not of these inputs, statistics, texts or ids. They begin with the option.
  static arrow::Result<MetricsFolder> Open(const std::string& folder, const nlohmann::json& inputs,
                                           const nlohmann::json& statistics, const std::string& text_column,
                                           const std::string& id_column);
  // The place of a column of a chain among those of the file; -1: it has none.
  int PlaceOf(const nlohmann::json& identity) const;
  // An error of this table.
  template <typename... Why>
  arrow::Status Refuse(const Why&... why) const {
    return arrow::Status::Invalid("--metrics ", name, ": ", why...);
  }
};

// The chain with the values that its filters want of the table (Filter::wanted_edges). They are exact: the same for any
// number of threads, files and row groups. Four passes over the columns that are needed for each 20 edges; memory for
// 10 MiB a thread, whatever the size of the table. Rows whose metric is no number are not counted.
arrow::Result<std::shared_ptr<const FilterChain>> WithShares(const std::shared_ptr<const FilterChain>& chain,
                                                             const MetricsFolder& table, int threads);

}  // namespace uzushio
