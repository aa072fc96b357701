// The stage `extract`: WARC files to the documents dataset.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counters.h"
#include "datasets/documents_writer.h"
#include "storage/inputs.h"
#include "stages/extract/page_extractor.h"

namespace uzushio {

// What WARC files are called, for ResolveInputs.
extern const std::vector<std::string_view> kWarcSuffixes;

struct ExtractConfig {
  std::vector<InputFile> inputs;
  std::string output;
  ExtractOptions options;
  int threads = 1;
  bool overwrite = false;
};

// What a run has done. records = documents + rejected + quarantined.
struct ExtractCounts {
  int64_t records = 0;
  int64_t documents = 0;
  int64_t paragraphs = 0;
  Counters rejected;     // by reason
  Counters quarantined;  // by reason
  Counters languages;    // documents by language
  int64_t file_bytes = 0;
  int64_t decoded_bytes = 0;
  int64_t text_bytes = 0;

  void Add(const ExtractCounts& other);
  nlohmann::json ToJson() const;
  // Errors: it is not what ToJson gives.
  static arrow::Result<ExtractCounts> FromJson(const nlohmann::json& json);
};

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
};

// Runs the stage. `on_progress` is called from worker threads, often, one call at a time.
arrow::Result<ExtractResult> RunExtract(const ExtractConfig& config,
                                        const std::function<void(const ExtractProgress&)>& on_progress);

}  // namespace uzushio
