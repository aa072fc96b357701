#include "filters/paragraph_bound.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/memory_error.h"
#include "document/markup.h"

namespace uzushio {
namespace {

static_assert(3 * sizeof(FilterParagraph) + 3 * sizeof(int64_t) + sizeof(int64_t) <= kParagraphBytes);
static_assert(3 * sizeof(FilterParagraph) + 2 * sizeof(std::string_view) <= kParagraphBytes);

// An id may be any text: as JSON has it, on one line, and not all of one that is long.
std::string Shown(std::string_view doc_id) {
  constexpr size_t kMostBytes = 256;
  const std::string text(doc_id.substr(0, kMostBytes));
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string MoreMemory(int64_t wanted, const ReaderMemory& memory) {
  return "; --memory " + std::to_string((memory.WholeFor(wanted, memory.decoding) >> 20) + 1) +
         "MiB, or fewer --threads, may do";
}

size_t CountParagraphs(std::string_view text) {
  ParagraphReader reader(text);
  size_t count = 0;
  while (reader.Next()) ++count;
  return count;
}

}  // namespace

arrow::Status CheckParagraphs(std::string_view doc_id, std::string_view text, const ReaderMemory& memory) {
  const size_t most = RoomForParagraphs(memory);
  constexpr size_t kLeastBytes = 1 + kParagraphSeparator.size();
  if (text.size() / kLeastBytes < most) return arrow::Status::OK();
  const size_t count = CountParagraphs(text);
  if (count <= most) return arrow::Status::OK();
  return MemoryError("document ", Shown(doc_id), " has ", count, " paragraphs, and a thread has room for ", most,
                     MoreMemory(static_cast<int64_t>(count) * kParagraphBytes, memory));
}

arrow::Status CheckElements(const FilterDocument& document, const ReaderMemory& memory, FilterScratch* scratch) {
  ARROW_RETURN_NOT_OK(TakeFailure(document, scratch));
  if (std::exchange(scratch->too_many, 0) == 0) return arrow::Status::OK();
  return MemoryError("document ", Shown(document.doc_id()), " is cut into more than ", scratch->most_elements,
                     " elements, for which a thread has room", MoreMemory(2 * memory.decoding, memory));
}

}  // namespace uzushio
