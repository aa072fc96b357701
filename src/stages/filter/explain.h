// Why a document was removed, or was not.
#pragma once

#include <arrow/result.h>

#include <string>

namespace uzushio {

// The way of one document through the run of `uzushio filter` that made `folder`: where it came from, each filter's
// metric and bound, which paragraphs went and why; a text for a reader. Errors: no such run, no such document.
arrow::Result<std::string> ExplainDocument(const std::string& folder, const std::string& doc_id, int threads,
                                           int64_t memory);

}  // namespace uzushio
