// What `uzushio overlap` found, as matrices, for `uzushio report`.
#pragma once

#include <arrow/result.h>

#include <nlohmann/json.hpp>
#include <string>

#include "storage/inputs.h"

namespace uzushio {

// An object with `name`, the names of the `datasets`, and for each of the `kinds` (urls, documents, paragraphs) that
// there are a `kind`, `counts`, of each dataset, and `both`, of any two of them. What a dataset has no values of is
// null. Errors: `table` is no overlap.parquet, or has other datasets or rows than one can have.
arrow::Result<nlohmann::json> OverlapOf(const std::string& name, const InputFile& table);

}  // namespace uzushio
