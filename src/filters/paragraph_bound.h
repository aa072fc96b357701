// How many paragraphs a thread has room for.
#pragma once

#include <arrow/status.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/memory_plan.h"
#include "filters/filter_document.h"
#include "filters/filter_scratch.h"

namespace uzushio {

// What a paragraph takes: a vector of them, which doubles as it grows, its hash and its frequencies. And an element
// while a document is cut: two vectors, and its view.
inline constexpr int64_t kParagraphBytes = 304;

// The most that a document may have. Any number where `memory` has no bound.
constexpr size_t RoomForParagraphs(const ReaderMemory& memory) {
  return memory.decoding == 0 ? std::numeric_limits<size_t>::max()
                              : static_cast<size_t>(memory.decoding / kParagraphBytes);
}

// That a document's text has no more. Errors: it has; with the memory that may do. Models and lists of a chain take
// theirs besides.
arrow::Status CheckParagraphs(std::string_view doc_id, std::string_view text, const ReaderMemory& memory);

// That filters could measure a document, and have not cut it into more elements than that. Clears what they said of it.
arrow::Status CheckElements(const FilterDocument& document, const ReaderMemory& memory, FilterScratch* scratch);

}  // namespace uzushio
