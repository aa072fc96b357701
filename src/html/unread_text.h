// Passes over the contents of scripts and style sheets while a page is parsed: half of the bytes of many pages, which
// nothing reads.
#pragma once

#include <lexbor/html/html.h>

namespace uzushio {

// To be called when the tree has taken the start tag of a `script` or `style`, its current node: the tokenizer goes on
// at its end tag, as if the element was empty. Data in scripts (`application/ld+json`, `math/tex`) is read as ever.
void PassUnreadText(lxb_html_tokenizer_t* tokenizer, const lxb_dom_node_t* element);

}  // namespace uzushio
