// Paragraphs that are kept here and there of a menu.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "html/main_content/content_marker.h"

namespace uzushio {

// Leaves out what is kept of eight or more paragraphs of one shape, if that is at most a tenth of their words: items of
// a long menu whose words are like the page's. `shapes` has a number for each paragraph's shape (PageFeatures), `words`
// how many words it has. Of real pages that is 1 in 40 on the web.
void LeaveOutScattered(std::span<const uint32_t> shapes, std::span<const int32_t> words,
                       std::vector<ContentMark>* marks);

}  // namespace uzushio
