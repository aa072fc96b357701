#include "html/main_content/enclosed.h"

#include <optional>

#include "html/main_content/shape_words.h"

namespace uzushio {
namespace {

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
    if (plain[i] && of_shape.first && *of_shape.first < i && i < of_shape.last) {
      MakeContent(&(*marks)[i]);
    }
  }
}

// Texts of shapes that are kept.
void KeepTexts(std::span<const uint32_t> shapes, std::span<const int32_t> words, const std::vector<bool>& plain,
               std::vector<ContentMark>* marks) {
  constexpr int32_t kText = 60;
  constexpr int32_t kLongText = 750;
  const std::vector<ShapeWords> found = WordsOfShapes(shapes, words, *marks);
  for (size_t i = 0; i < marks->size(); ++i) {
    const ShapeWords& shape = found[shapes[i]];
    if (!plain[i] || shape.kept == 0 || words[i] < kText) continue;
    const bool is_mostly_kept = 10 * shape.kept >= 7 * shape.words;
    if (words[i] >= kLongText || is_mostly_kept) MakeContent(&(*marks)[i]);
  }
}

}  // namespace

void KeepEnclosed(std::span<const uint32_t> shapes, std::span<const int32_t> words, const std::vector<bool>& plain,
                  std::vector<ContentMark>* marks) {
  KeepBetween(shapes, plain, marks);
  KeepTexts(shapes, words, plain, marks);
}

}  // namespace uzushio
