// The text of one block in Markdown: inline code, emphasis, and backslashes where it would be read as something else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "markdown/markdown_form.h"

namespace uzushio {

// Where a block's text stands.
enum class InlinePlace : uint8_t {
  kLines,  // line breaks stay
  kLine,   // line breaks become spaces: a heading
  kCell,   // likewise, and `|` is escaped
};

// What is to be known of a text at the beginnings of its lines.
struct InlineFacts {
  std::array<bool, 3> has_runs{};  // whether there are two runs or more of `*`, `_`, `~~`
  bool ends_label = false;         // `]:` is in it
};

// Appends marked text, of which link marks stay and other marks go. A character is escaped only where
// CommonMark or GFM (strikethrough by `~~`) may take it for markup: `*` and `_` between what can open and close
// emphasis, backticks where there are several runs, tags, autolinks, entities, and `](`. Formulas stand as they are.
// Linear in the text's length.
InlineFacts AppendInline(std::string_view marked, InlinePlace place, const MarkdownForm& form, std::string* out);

}  // namespace uzushio
