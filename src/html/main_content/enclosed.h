// Texts that stand between others of their shape.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "html/main_content/content_marker.h"

namespace uzushio {

// Keeps what is left out between the first and the last paragraph of its shape that is kept. Then, before and behind
// those, texts of 60 words or more (two wide characters are one) of a shape of whose words seven tenths are kept, and
// of 750 or more of any that is kept: parts of a novel, whose paragraphs were decided one by one. `shapes` has a number
// for each paragraph's shape (PageFeatures), `words` how many words it has; `plain` tells which ones have no links and
// are of no menu, for others stay out.
void KeepEnclosed(std::span<const uint32_t> shapes, std::span<const int32_t> words, const std::vector<bool>& plain,
                  std::vector<ContentMark>* marks);

}  // namespace uzushio
