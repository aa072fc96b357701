// Lines of JSON.
#pragma once

#include <arrow/result.h>

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "base/memory_plan.h"
#include "datasets/quarantine_writer.h"
#include "storage/inputs.h"

namespace uzushio {

constexpr size_t kMaxJsonLineBytes = size_t{256} << 20;  // longer lines are bad

// Calls `use` with each line's value, which may be of any kind; it returns why it cannot use it, or null. `bad` gets
// those lines, and what is no JSON or too long. What the memory has no room for is an error that says how much would
// do.
arrow::Status ForEachJsonLine(const InputFile& file, const ReaderMemory& memory,
                              const std::function<arrow::Result<const char*>(const nlohmann::json&)>& use,
                              const std::function<arrow::Status(QuarantinedRecord)>& bad);

// The first object, its keys in order. Errors: there is none.
arrow::Result<nlohmann::ordered_json> FirstJsonObject(const InputFile& file, const ReaderMemory& memory);

}  // namespace uzushio
