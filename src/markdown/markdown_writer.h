// The paragraphs of a document in Markdown, one after another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/structure.h"
#include "markdown/markdown_form.h"

namespace uzushio {

// Writes paragraphs of shown text (document/structure.h) as Markdown, and tells which of them are one paragraph in it:
// items of a list that are next to each other, a term and its descriptions, and what is in one quote.
//
// What is in an item stands in its content's column: 2 behind `- `, 3 behind `1. `. Letters and Roman numerals are
// written as numbers; what is no number of Markdown's, as it is negative or has more than nine digits, is `- `. A
// description is an item `- ` behind its term. Items and quotes that would begin behind column kMostIndentation are
// left out, and their text belongs to what is around.
class MarkdownWriter {
 public:
  static constexpr size_t kMostIndentation = 32;

  explicit MarkdownWriter(const MarkdownForm& form) : form_(form) {}

  // Sets `out` to the next paragraph. Returns whether it belongs to the one before, behind whose text it goes, line
  // breaks between included. Link marks and blank lines (kBlankLine) stay in it.
  bool Write(std::string_view structure, std::string_view marked, std::string* out);

  // Passes a paragraph of this structure that is not written. What comes is not next to what was written before.
  void Skip(std::string_view structure);

 private:
  // An item, a description or a quote that the last paragraph is in.
  struct Container {
    StructureBlock block;
    size_t width = 0;  // of its prefix
    int step = 0;      // from the number before
  };
  // Where a paragraph goes.
  struct Position {
    size_t shared = 0;  // containers that are open
    bool joins = false;
    bool is_tight = false;
  };

  // What a paragraph is in, as far as it is written, and what it is.
  struct Parts {
    std::vector<StructureBlock> containers;
    std::optional<StructureBlock> leaf;
  };

  Parts PartsOf(std::string_view structure) const;
  bool IsContainer(const StructureBlock& block) const;
  bool IsSame(const StructureBlock& open, const StructureBlock& next) const;
  Position Place(const std::vector<StructureBlock>& containers) const;
  bool IsTight(const StructureBlock& next, size_t place) const;
  std::optional<int> StepTo(const StructureBlock& next, size_t place) const;
  void Open(const std::vector<StructureBlock>& containers, size_t shared, std::string* first);
  void AppendPrefix(size_t containers, std::string* out) const;

  const MarkdownForm form_;
  std::vector<Container> open_;
  bool is_next_ = false;     // nothing is between the last paragraph and the next
  bool began_item_ = false;  // the last paragraph began an item
  bool was_term_ = false;    // it was a term
  bool was_text_ = false;    // it was text that a list can follow without a blank line
};

}  // namespace uzushio
