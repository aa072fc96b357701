// What a page says of its rights: rules for robots, and licences.
#pragma once

#include <lexbor/html/html.h>

#include "document/licenses.h"
#include "document/text_lines.h"

namespace uzushio {

// Adds the rules for robots of the meta elements in the head, and directly in the body.
void AddPageRobots(lxb_html_document_t* page, TextLines* rules);

// Adds the licences that the page names: in meta elements, linked data, `rel=license`, and links to licences that are
// known. Reads every element, so it is for pages that html/license_gate.h lets through. At most kMaxLinkedData bytes of
// linked data are read.
inline constexpr size_t kMaxLinkedData = size_t{256} << 10;
void AddPageLicenses(lxb_html_document_t* page, PageLicenses* licenses);

}  // namespace uzushio
