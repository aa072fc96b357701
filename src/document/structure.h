// What a shown paragraph is to its reader: a heading, an item of a list, code, a table.
//
// A structure lists what a paragraph is in, the outermost first, joined by `>`, and itself last, where it is more than
// plain text: `quote>ul.2+>code.python` is code in Python, in the second item of a list, behind that item's first
// paragraph, in a quote.
//
//   quote                a block quote
//   ul.N   ul.N+         the N-th item of an unordered list: its first paragraph, or a later one
//   ol.N   ol.N+         an item of an ordered list with this number, which may be negative; behind it `.a`, `.A`, `.i`
//   ol.N.a               or `.I` where numbers are letters or Roman numerals
//   dt     dd   dd+      a term, or its description: the first paragraph, or a later one
//   h1 … h6              a heading
//   code   code.LANGUAGE preformatted text; LANGUAGE has letters, digits and `+#._-`
//   pre                  other text whose white space counts
//   table                a line a row, cells parted by tabs, kHeaderCell before each header cell
//   formula              one formula in a block of its own
//   markdown             Markdown, as filters have written it; alone
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace uzushio {

struct StructureBlock {
  enum class Kind : uint8_t {
    kQuote,
    kUnorderedItem,
    kOrderedItem,
    kTerm,
    kDescription,
    kHeading,
    kCode,
    kPreformatted,
    kTable,
    kFormula,
    kMarkdown,
  };
  Kind kind = Kind::kQuote;
  bool later = false;         // not the first paragraph of its item or description
  int64_t number = 0;         // of an item; the level of a heading
  char numerals = '1';        // of an ordered item: 1, a, A, i or I
  std::string_view language;  // of code, or empty

  bool operator==(const StructureBlock&) const = default;
};

inline constexpr size_t kMaxLanguageBytes = 32;
inline constexpr std::string_view kMarkdownStructure = "markdown";

// Appends a block to a structure. What a language may not hold is left out of it.
void AppendBlock(const StructureBlock& block, std::string* structure);

// The blocks of a structure, the outermost first; views into it. What is no block is left out.
std::vector<StructureBlock> BlocksOf(std::string_view structure);

}  // namespace uzushio
