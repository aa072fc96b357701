// Two texts paragraph by paragraph, as a page shows them.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// The paragraphs of a document as far as they are compared.
struct DiffText {
  std::vector<std::string> paragraphs;  // plain
  bool cut = false;                     // there are more
};

// Bytes of plain text, at most, and the number of paragraphs.
inline constexpr size_t kMostDiffedBytes = size_t{64} << 10;
inline constexpr size_t kMostDiffedParagraphs = 4096;

DiffText DiffTextOf(std::string_view document);

// `lines`: {`kind`: "both", "a" or "b", `text`}, or {`skipped`: a number of paragraphs that are in both}; and `cut`:
// there is more than `most` bytes of text. One of the texts may be null.
nlohmann::json DiffLinesJson(const DiffText* a, const DiffText* b, size_t most);

}  // namespace uzushio
