#include "datasets/metric_columns.h"

#include <xxhash.h>

namespace uzushio {

uint64_t SampleHash(std::string_view doc_id) { return XXH64(doc_id.data(), doc_id.size(), 0); }

}  // namespace uzushio
