// Properties of the Parquet files that are written.
#pragma once

#include <parquet/properties.h>

namespace uzushio {

// Those that all have: compression, and no dictionary, which texts would only make slower.
parquet::WriterProperties::Builder FileProperties();

}  // namespace uzushio
