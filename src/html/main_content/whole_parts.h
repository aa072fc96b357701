// What belongs together is kept together, or goes together.
#pragma once

#include <vector>

#include "html/main_content/content_marker.h"

namespace uzushio {

// Changes the marks of a page's paragraphs, each of which was decided by itself:
//
//   a term whose description is content is content, and so is one before it that shares the description;
//   a heading between content above and right below it is content, and so are several, each of a lower level than the
//   one before;
//   code is content where a heading that is content stands above it, and nothing else below that is content;
//   a term or a heading that is content is none where something stands below it of which nothing is.
//
// Below a heading is what stands before the next one of its level or a higher one. Linear time.
void KeepPartsWhole(const PageForContent& page, std::vector<ContentMark>* marks);

}  // namespace uzushio
