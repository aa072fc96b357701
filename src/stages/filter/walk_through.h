// What a chain does to one document, for a reader.
#pragma once

#include <arrow/result.h>

#include <string>

namespace uzushio {

class FilterChain;
class FilterDocument;

// A line for each filter, in order: its metric, what that was held against, the paragraphs and the document removed,
// and the paragraphs that are rewritten, as they are then. The document is as the chain leaves it then. Errors: a
// filter cannot measure it.
arrow::Result<std::string> WalkThrough(const FilterChain& chain, FilterDocument* document);

}  // namespace uzushio
