// What a page's meta elements say.
#pragma once

#include <lexbor/html/html.h>

#include <vector>

#include "document/full_data.h"

namespace uzushio {

// More elements, and more bytes of a value, are left out.
inline constexpr size_t kMaxMetadata = 256;
inline constexpr size_t kMaxMetadataBytes = 4096;

// Appends `content` of each meta element of the head, or directly in the body, that has a name: its `name`, else
// `property`, else `http-equiv`, as written; in the order of the page. A `charset` is a value of its own name.
void PageMetadata(lxb_html_document_t* page, std::vector<NamedValue>* metadata);

}  // namespace uzushio
