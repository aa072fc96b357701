// The licences that linked data (JSON-LD) of a page names.
#pragma once

#include <string_view>

#include "document/licenses.h"

namespace uzushio {

// Adds the `license` of the things that a script is about: of its outermost object, or of each in its outermost list or
// `@graph`. A licence is a URL, an object with `@id` or `url`, or a list of these. Things that are images, videos or
// sounds are left out: their licence is not the page's. So is what stands behind an error of JSON. Linear; no
// recursion.
void AddLinkedLicenses(std::string_view json, PageLicenses* licenses);

}  // namespace uzushio
