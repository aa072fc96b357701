// The stage `decontaminate`: documents without items of benchmarks, and which items the others have.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "contamination/benchmark_items.h"
#include "datasets/columns.h"
#include "storage/stage_options.h"

namespace uzushio {

// Readers of the output's documents do not read it.
inline constexpr const char* kContaminationFile = ".uzushio/contamination.pq";

struct DecontaminateConfig : StageOptions {  // the memory is without that of the items
  std::vector<std::string> against;          // the files and folders that `items` are from
  ItemColumns columns = {.id = kUsualItemId};
  std::vector<std::string> distinguish;  // what `folding` is made of
  FoldingOptions folding;
  std::shared_ptr<const BenchmarkItems> items;
  double high = 0.5;  // documents of a larger share of an item are removed
  std::string text_column = "text";
  std::string id_column = kUsualIdColumn;
  std::string url_column = kUsualUrlColumn;
};

const Options<DecontaminateConfig>& DeclaredDecontaminate();
// Sets `folding`. Errors: there is nothing of this name to distinguish.
arrow::Status CompleteFolding(DecontaminateConfig* config);
// What makes a run the same as another: `configuration` in its manifest.
arrow::Result<nlohmann::json> DecontaminateIdentity(const DecontaminateConfig& config);

struct DecontaminateResult {
  // `documents` = `kept` + `contaminated`, `text_bytes`, `rows` of the report, `quarantined` by reason, and
  // `benchmarks`: of each file its name, its items, those that cannot be found, and those that were found.
  nlohmann::json counts;
  int64_t files = 0;
  int64_t bytes_out = 0;
  bool was_done = false;
};

// Writes the documents that the filter Contamination would keep, as they are, and DIR/.uzushio/contamination.pq: a row
// for each item of which a document has more than `high`. `on_progress` gets the share of the input that is done.
arrow::Result<DecontaminateResult> RunDecontaminate(const DecontaminateConfig& config,
                                                    const std::function<void(double)>& on_progress);

}  // namespace uzushio
