// Documents that differ between two corpora as a page shows them: read again, as few as these are.
#pragma once

#include <arrow/result.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "stages/report/document_join.h"
#include "stages/report/open_sources.h"

namespace uzushio {

// Of the text of a document.
inline constexpr size_t kMostShownBytes = 6000;

// Where a document was lost that `source`, of its side, has last: `output`, its `stage`, and `reason` and `filter`, or
// null. Null: no output of the side has it.
nlohmann::json WhyJson(const OpenSource* source);

// For each document `id`, `url`, `title` or null, `documents` (of that id or URL, or without one of that text, that
// differ in this way), `why` (of those in both corpora null; the others also have `duplicateOf` and `similarity` if
// minhash has removed them, and `duplicateReason`: text, url or contained, if it says why), and what DiffLinesJson
// says.
arrow::Result<std::vector<nlohmann::json>> ShownDocuments(const std::vector<JoinedDocument>& documents,
                                                          const std::vector<OpenSource>& sources, int threads);

}  // namespace uzushio
