// The text of one paragraph in Markdown, line by line, before it is put into lists and quotes.
#pragma once

#include <string>
#include <string_view>

#include "document/structure.h"
#include "markdown/markdown_form.h"

namespace uzushio {

// Appends a paragraph's marked text. `leaf` is what it is, beside what it is in; none for plain text. A blank line is
// kBlankLine. `in_item` says that it begins an item of a list, where `[ ]` is a box to tick.
//
// * Headings are one line. Code, and other text of which a line begins with four spaces or a tab, is fenced, by more
//   backticks than are in it in a row. A table's first row is its header where it has nothing but header cells, or
//   where it alone is all strong; else the header is empty. Rows are filled up with empty cells. A table of one row
//   without a header is a line of text. Formulas stay as they are.
// * Lines of other text that would begin a block have its first character escaped.
void AppendBlockText(const StructureBlock* leaf, std::string_view marked, bool in_item, const MarkdownForm& form,
                     std::string* out);

}  // namespace uzushio
