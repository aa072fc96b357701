// What `extract` counts.
#pragma once

#include <arrow/result.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/counters.h"

namespace uzushio {

// What a run has done. records = documents + rejected + quarantined.
struct ExtractCounts {
  int64_t records = 0;
  int64_t documents = 0;
  int64_t paragraphs = 0;
  Counters rejected;     // by reason
  Counters quarantined;  // by reason
  Counters languages;    // documents by language
  Counters damaged;      // documents of pages that were damaged, by how
  int64_t replaced = 0;  // U+FFFD in their pages for what did not decode
  int64_t file_bytes = 0;
  int64_t decoded_bytes = 0;
  int64_t text_bytes = 0;
  std::optional<int64_t> characters = 0;  // code points of the paragraphs; marks of earlier versions do not have them
  std::optional<int64_t> requests;        // of ranges of bytes, where an index names them
  std::optional<int64_t> body_bytes;      // of pages in full data, where that is asked for

  void Add(const ExtractCounts& other);
  nlohmann::json ToJson() const;
  // Errors: it is not what ToJson gives.
  static arrow::Result<ExtractCounts> FromJson(const nlohmann::json& json);
};

}  // namespace uzushio
