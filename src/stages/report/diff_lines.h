// Two texts paragraph by paragraph, as a page shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

// The paragraphs of a document as far as they are compared.
struct DiffText {
  std::vector<std::string> paragraphs;  // plain
  size_t skipped = 0;                   // paragraphs before them
  bool cut = false;                     // there are more behind them
};

// Bytes of plain text, at most, and the number of paragraphs.
inline constexpr size_t kMostDiffedBytes = size_t{64} << 10;
inline constexpr size_t kMostDiffedParagraphs = 4096;

// Without the first `begin` bytes of the plain text, of which EqualBytes says that another text has them, too: it
// begins with a paragraph or, if that is long, with `…` inside of it.
DiffText DiffTextOf(std::string_view document, size_t begin = 0);

// Hashes of the plain text, of which each kDiffBlock bytes make one: less than kMostDiffedParagraphs paragraphs.
inline constexpr size_t kDiffBlock = size_t{8} << 10;
std::vector<uint64_t> DiffBlocksOf(std::string_view document);
// Bytes that two plain texts begin with alike, to the last whole block.
size_t EqualBytes(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b);

// `lines`: {`kind`: "both", "a" or "b", `text`}, or {`skipped`: a number of paragraphs that are in both}; and `cut`:
// there is more than `most` bytes of text. One of the texts may be null; if neither is, as many of the paragraphs of
// both are skipped.
nlohmann::json DiffLinesJson(const DiffText* a, const DiffText* b, size_t most);

}  // namespace uzushio
