// The paragraphs of a page.
#pragma once

#include <lexbor/html/html.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "html/outline.h"

namespace uzushio {

// Elements deeper than this are left out of paths (the original drops such pages).
inline constexpr size_t kMaxPathSegments = 256;
// A path longer than this is cut at a segment.
inline constexpr size_t kMaxPathBytes = 2048;

// Appends the paragraphs of the page's body to `document`, in the markup of document/markup.h. Returns their number, or
// nothing when the text passes `max_bytes`, with `document` incomplete.
//
// Paragraphs are as the original Uzushio makes them: its block tags begin and end them, `<br>` ends a line, text in
// `<a>` is marked, and the path is that of the innermost block around, from `body`. What a browser never shows as text
// (script, style, template, iframe, noframes, …) gives nothing. Items of lists and rows of tables end lines, cells are
// parted by a space.
//
// `outline`, if given, is filled in; it holds views into the tree.
std::optional<int64_t> ExtractParagraphs(lxb_html_document_t* page, size_t max_bytes, std::string* document,
                                         PageOutline* outline = nullptr);

// Appends the paragraphs of plain text, which are parted by empty lines and have no path. The same result.
std::optional<int64_t> ExtractPlainParagraphs(std::string_view text, size_t max_bytes, std::string* document);

// The language that the page says it is in: the `lang` (or `xml:lang`) of its root element, or empty. A view into the
// tree.
std::string_view DeclaredLanguage(lxb_html_document_t* page);

}  // namespace uzushio
