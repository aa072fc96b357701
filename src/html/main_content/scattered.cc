#include "html/main_content/scattered.h"

#include "html/main_content/shape_words.h"

namespace uzushio {
namespace {

bool IsScattered(const ShapeWords& shape) {
  constexpr int64_t kLeastParagraphs = 8;
  constexpr int64_t kMostKept = 10;  // one word in so many
  return shape.paragraphs >= kLeastParagraphs && shape.kept * kMostKept <= shape.words;
}

}  // namespace

void LeaveOutScattered(std::span<const uint32_t> shapes, std::span<const int32_t> words,
                       std::vector<ContentMark>* marks) {
  const std::vector<ShapeWords> found = WordsOfShapes(shapes, words, *marks);
  for (size_t i = 0; i < marks->size(); ++i) {
    if (IsScattered(found[shapes[i]])) MakeRest(&(*marks)[i]);
  }
}

}  // namespace uzushio
