// How many words the paragraphs of each shape have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "html/main_content/content_marker.h"

namespace uzushio {

struct ShapeWords {
  int64_t paragraphs = 0;
  int64_t words = 0;  // of all; a paragraph without any counts as one
  int64_t kept = 0;   // of those that are content
};

// By the number of a shape, which is less than that of paragraphs (PageFeatures).
inline std::vector<ShapeWords> WordsOfShapes(std::span<const uint32_t> shapes, std::span<const int32_t> words,
                                             std::span<const ContentMark> marks) {
  std::vector<ShapeWords> found(marks.size());
  for (size_t i = 0; i < marks.size(); ++i) {
    const int64_t count = std::max(words[i], 1);
    ShapeWords& shape = found[shapes[i]];
    ++shape.paragraphs;
    shape.words += count;
    shape.kept += marks[i].content ? count : 0;
  }
  return found;
}

}  // namespace uzushio
