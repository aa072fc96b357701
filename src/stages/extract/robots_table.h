// The table of robots.txt files: what each site lets which robots fetch.
#pragma once

#include <arrow/result.h>
#include <arrow/type.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/counters.h"
#include "stages/extract/extract.h"
#include "storage/stage_options.h"

namespace uzushio {

struct RobotsTxtConfig : StageOptions {
  bool allow_unreadable = false;
};

const Options<RobotsTxtConfig>& DeclaredRobotsTxt();

// records = captures + left_out + quarantined; captures = origins + older.
struct RobotsTxtCounts {
  int64_t records = 0;
  int64_t captures = 0;  // responses to requests of /robots.txt
  int64_t origins = 0;   // rows
  int64_t older = 0;     // captures of which another one of their origin was taken
  int64_t cut = 0;       // captures longer than what is read of a file
  Counters access;       // of the rows, by what they say
  Counters left_out;     // by reason
  Counters quarantined;  // by reason
  int64_t file_bytes = 0;

  void Add(const RobotsTxtCounts& other);
  nlohmann::json ToJson() const;
};

struct RobotsTxtResult {
  nlohmann::json counts;
  int64_t spilled_bytes = 0;
  bool was_done = false;
};

// Writes OUTPUT/robots.parquet (datasets/robots_columns.h): a row for each origin, of its newest capture; one of a
// server that failed (5xx) only where there is no other. Of equal times the last one counts, in order of the inputs.
arrow::Result<RobotsTxtResult> RunRobotsTxt(const RobotsTxtConfig& config,
                                            const std::function<void(const ExtractProgress&)>& on_progress);

}  // namespace uzushio
