// Lines of JSON.
#pragma once

#include <arrow/result.h>

#include <functional>

#include "base/memory_plan.h"
#include "datasets/json_object.h"
#include "datasets/quarantine_writer.h"
#include "storage/inputs.h"

namespace uzushio {

constexpr size_t kMaxJsonLineBytes = size_t{256} << 20;  // longer lines are bad

// Calls `use` with each line's object; it returns why it cannot use it, or null. `bad` gets those lines, and what is no
// object, for the reason `other`, no JSON or too long. What the memory has no room for is an error that says how much
// would do.
arrow::Status ForEachJsonLine(const InputFile& file, const ReaderMemory& memory, const char* other,
                              const std::function<arrow::Result<const char*>(const JsonObject&)>& use,
                              const std::function<arrow::Status(QuarantinedRecord)>& bad);

// Calls `use` with the objects of the file's first MiB, or with the first of the file. KeyError: there is none.
arrow::Status ForFirstJsonObjects(const InputFile& file, const ReaderMemory& memory,
                                  const std::function<void(const JsonObject&)>& use);

}  // namespace uzushio
