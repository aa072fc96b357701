// Which attributes of a page are read, and start tags without the others.
#pragma once

#include <lexbor/html/html.h>

#include <cstddef>

namespace uzushio {

// A start tag of a formatting element (`b`, `a`, `font`, …) keeps values of so many bytes together: a parser makes
// copies of the element, as many as the page asks for. Paths are shorter (html/paragraphs.h), and less is looked at.
inline constexpr size_t kMostFormattingBytes = 4096;

// Takes from a start tag, before it becomes an element, the attributes that neither the parser nor anything behind it
// reads. What is cut or taken from formatting elements decides which of them are equal (HTML, section 13.2.4.3, "Noah's
// Ark clause"); there a digest of all of the tag's attributes stands for them, in front of those that stay, so that two
// elements are compared at once.
void KeepReadAttributes(lxb_html_tokenizer_t* tokenizer, lxb_html_token_t* token);

}  // namespace uzushio
