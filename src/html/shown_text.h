// The paragraphs of a page as a reader sees them.
#pragma once

#include <lexbor/html/html.h>

#include <cstdint>
#include <optional>
#include <string>

#include "html/outline.h"

namespace uzushio {

enum class RubyForm : uint8_t {
  kBase,      // 漢字
  kReadings,  // 漢字（かんじ）
};

// Appends the paragraphs of the page's body to `document`, each with its structure, in the markup of document/markup.h.
// Returns their number, or nothing when the text passes `max_bytes`, with `document` incomplete.
//
// The text is what a browser shows of the page without scripts and style sheets, by HTML's innerText and CSS Text, but
// that paragraphs end where blocks do, items of lists and cells of layout tables among them, and at two line breaks in
// a row; that readings of ruby, line numbers of code and anchors of headings are left out; that formulas are TeX, once;
// and that what is in `noscript` and hidden by markup is left out, unless that is more than half of the page's text.
//
// `outline`, if given, is filled in; it holds views into the tree.
std::optional<int64_t> ExtractShownParagraphs(lxb_html_document_t* page, RubyForm ruby, size_t max_bytes,
                                              std::string* document, PageOutline* outline = nullptr);

}  // namespace uzushio
