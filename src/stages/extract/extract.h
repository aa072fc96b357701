// The stage `extract`: WARC files to the documents dataset.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/shard_writer.h"
#include "stages/extract/counts.h"
#include "stages/extract/index_selection.h"
#include "stages/extract/options.h"
#include "storage/stage_options.h"

namespace uzushio {

// What web archives are called, for ResolveInputs.
extern const std::vector<std::string_view> kWarcSuffixes;

// What becomes of revisits: records that say that a page has not changed since it was fetched before.
enum class Revisits : uint8_t { kRejected, kResolved };

struct ExtractConfig : StageOptions {
  ExtractOptions options;
  Revisits revisits = Revisits::kRejected;
  IndexSelection index;                  // where it is given, it says what is read, instead of `inputs`
  std::optional<ShardFormat> full_data;  // written beside the documents
  bool allow_unreadable = false;         // files without one record that can be read; else they are errors
};

const Options<ExtractConfig>& DeclaredExtract();

// Errors: revisits are to be resolved, and what else is wanted has none.
arrow::Status CheckRevisits(const ExtractConfig& given);
// Which of the ways to name what is read was taken; `inputs` as they are given. Errors: none, or several.
arrow::Status CheckWays(const std::vector<std::string>& inputs, const ExtractConfig& given);

// How far a run is.
struct ExtractProgress {
  int64_t bytes_done = 0;  // of the input files
  int64_t bytes_total = 0;
  int64_t documents = 0;
};

struct ExtractResult {
  ExtractCounts counts;
  bool was_done = false;  // the same run had been committed before
  int resumed_inputs = 0;
  std::optional<IndexRowCounts> index_rows;  // of a run by an index that was not done
  std::vector<std::string> without_records;  // names of inputs in which there is none, as of those of 0 bytes
};

// Runs the stage. `on_progress` is called from worker threads, often, one call at a time.
arrow::Result<ExtractResult> RunExtract(const ExtractConfig& config,
                                        const std::function<void(const ExtractProgress&)>& on_progress);

}  // namespace uzushio
