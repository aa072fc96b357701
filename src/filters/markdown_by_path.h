// Headings and items of lists of original text, which has no structure, by the paths of paragraphs; as Markdown.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "filters/filter_document.h"

namespace uzushio {

// 1 to 6 by the innermost heading around; 0 where there is none.
size_t HeadingLevelOf(std::string_view path);

// Keeps a text of paragraphs.
using KeepText = std::function<std::string_view(std::string)>;
inline KeepText KeepIn(FilterDocument* document) {
  return [document](std::string text) { return document->Keep(std::move(text)); };
}

// Puts `#` to `######` before a paragraph.
void WriteHeading(size_t level, const KeepText& keep, FilterParagraph* paragraph);

// The end of the run of list items that begins at `first`: neighbours of one path, all alive, without structure.
size_t ListRunEnd(std::span<const FilterParagraph> paragraphs, size_t first);

// One paragraph of items, `- item` a line: the first with the texts of all, the least frequency and the highest score.
FilterParagraph MergedItems(std::span<const FilterParagraph> items, const KeepText& keep);

}  // namespace uzushio
