// The index of a web crawl: where each record lies, and what is known of it without reading it.
#pragma once

#include <arrow/result.h>
#include <arrow/type.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/counters.h"
#include "html/limits.h"
#include "stages/extract/extract.h"
#include "storage/stage_options.h"

namespace uzushio {

// The columns, by the names that Common Crawl's columnar index has for them.
std::shared_ptr<arrow::Schema> CaptureSchema();

// The host of a URL and the last of its labels; empty where there is none.
struct CaptureHost {
  std::string name;
  std::string tld;
};
CaptureHost HostOfCapture(const std::string& url);

// What files of CDXJ end with: cdx-00000.gz.
extern const std::vector<std::string_view> kCdxjSuffixes;

struct IndexConfig : StageOptions {
  bool from_cdxj = false;  // the inputs are lines of CDXJ, not WARC files
  PageLimits limits;
  bool allow_unreadable = false;
};

const Options<IndexConfig>& DeclaredCrawlIndex();

// records = rows + left_out + quarantined; of CDXJ, records are lines.
struct IndexCounts {
  int64_t records = 0;
  int64_t rows = 0;
  Counters left_out;     // by reason: what is no page, or shares its member with others
  Counters quarantined;  // by reason
  int64_t file_bytes = 0;

  void Add(const IndexCounts& other);
  nlohmann::json ToJson() const;
  static arrow::Result<IndexCounts> FromJson(const nlohmann::json& json);
};

struct IndexResult {
  IndexCounts counts;
  bool was_done = false;
};

// Writes `OUTPUT/part-NNNNN.parquet`, one for each input, rows in order of the input.
arrow::Result<IndexResult> RunIndex(const IndexConfig& config,
                                    const std::function<void(const ExtractProgress&)>& on_progress);

}  // namespace uzushio
