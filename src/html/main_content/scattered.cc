#include "html/main_content/scattered.h"

#include <algorithm>

namespace uzushio {

void LeaveOutScattered(std::span<const uint32_t> shapes, std::span<const int32_t> words,
                       std::vector<ContentMark>* marks) {
  constexpr int64_t kLeastParagraphs = 8;
  constexpr int64_t kMostKept = 10;  // one word in so many
  struct Shape {
    int64_t paragraphs = 0;
    int64_t words = 0;
    int64_t kept = 0;

    bool IsScattered() const { return paragraphs >= kLeastParagraphs && kept * kMostKept <= words; }
  };
  std::vector<Shape> found(marks->size());  // a shape's number is less
  for (size_t i = 0; i < marks->size(); ++i) {
    const int64_t count = std::max(words[i], 1);
    Shape& shape = found[shapes[i]];
    ++shape.paragraphs;
    shape.words += count;
    shape.kept += (*marks)[i].content ? count : 0;
  }
  for (size_t i = 0; i < marks->size(); ++i) {
    ContentMark& mark = (*marks)[i];
    if (mark.content && found[shapes[i]].IsScattered()) mark = {kMostOfRest, false};
  }
}

}  // namespace uzushio
