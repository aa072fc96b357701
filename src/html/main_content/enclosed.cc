#include "html/main_content/enclosed.h"

#include <algorithm>
#include <optional>

namespace uzushio {
namespace {

void MakeContent(ContentMark* mark) { *mark = {0.5F, true}; }

// Paragraphs between the first and the last one of their shape that are kept.
void KeepBetween(std::span<const uint32_t> shapes, const std::vector<bool>& plain, std::vector<ContentMark>* marks) {
  struct Kept {
    std::optional<size_t> first;
    size_t last = 0;
  };
  std::vector<Kept> kept(marks->size());  // a shape's number is less
  for (size_t i = 0; i < marks->size(); ++i) {
    if (!(*marks)[i].content) continue;
    Kept& of_shape = kept[shapes[i]];
    if (!of_shape.first) of_shape.first = i;
    of_shape.last = i;
  }
  for (size_t i = 0; i < marks->size(); ++i) {
    const Kept& of_shape = kept[shapes[i]];
    if (!(*marks)[i].content && plain[i] && of_shape.first && *of_shape.first < i && i < of_shape.last) {
      MakeContent(&(*marks)[i]);
    }
  }
}

// Texts of shapes that are kept.
void KeepTexts(std::span<const uint32_t> shapes, std::span<const int32_t> words, const std::vector<bool>& plain,
               std::vector<ContentMark>* marks) {
  constexpr int32_t kText = 60;
  constexpr int32_t kLongText = 750;
  struct Shape {
    int64_t words = 0;
    int64_t kept = 0;

    bool IsMostlyKept() const { return 10 * kept >= 7 * words; }
  };
  std::vector<Shape> found(marks->size());
  for (size_t i = 0; i < marks->size(); ++i) {
    const int64_t count = std::max(words[i], 1);
    Shape& shape = found[shapes[i]];
    shape.words += count;
    shape.kept += (*marks)[i].content ? count : 0;
  }
  for (size_t i = 0; i < marks->size(); ++i) {
    const Shape& shape = found[shapes[i]];
    if ((*marks)[i].content || !plain[i] || shape.kept == 0 || words[i] < kText) continue;
    if (words[i] >= kLongText || shape.IsMostlyKept()) MakeContent(&(*marks)[i]);
  }
}

}  // namespace

void KeepEnclosed(std::span<const uint32_t> shapes, std::span<const int32_t> words, const std::vector<bool>& plain,
                  std::vector<ContentMark>* marks) {
  KeepBetween(shapes, plain, marks);
  KeepTexts(shapes, words, plain, marks);
}

}  // namespace uzushio
