// Rows as JSON.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/status.h>

#include <cstdint>
#include <string>

namespace uzushio {

// Appends a row as an object of JSON, keys in the order of the columns, bytes in base64; without an end of line. Bytes
// of texts that are no UTF-8 are U+FFFD.
arrow::Status AppendJson(const arrow::RecordBatch& batch, int64_t row, std::string* text);

}  // namespace uzushio
