#include "html/main_content/enclosed.h"

#include <optional>

namespace uzushio {

void KeepEnclosed(std::span<const uint32_t> shapes, std::span<const int32_t> words, const std::vector<bool>& plain,
                  std::vector<ContentMark>* marks) {
  constexpr int32_t kLongText = 750;
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
    ContentMark& mark = (*marks)[i];
    const Kept& of_shape = kept[shapes[i]];
    if (mark.content || !plain[i] || !of_shape.first) continue;
    const bool is_inside = *of_shape.first < i && i < of_shape.last;
    if (is_inside || words[i] >= kLongText) mark = {0.5F, true};
  }
}

}  // namespace uzushio
