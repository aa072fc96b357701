// The paragraphs of a document as Markdown.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filters/filter_document.h"
#include "filters/markdown_by_path.h"
#include "markdown/markdown_form.h"

namespace uzushio {

struct MarkdownParagraphs {
  std::vector<FilterParagraph> paragraphs;
  size_t changed = 0;  // how many of those before have another text now, or are one with others
};

// Writes paragraphs that are not removed as Markdown, by their structure or, where they have none, by their paths.
// Those that are written have the structure `markdown`, so that they are not written again. Paragraphs that become one
// have the path of the first, the least frequency and the highest score of all.
MarkdownParagraphs AsMarkdown(std::span<const FilterParagraph> paragraphs, const MarkdownForm& form,
                              const KeepText& keep);

// Makes items of a list that are next to each other one paragraph, `- item` or `1. item` a line, their texts as they
// are. Of shown text, that has the structure `markdown`.
MarkdownParagraphs WithMergedItems(std::span<const FilterParagraph> paragraphs, const KeepText& keep);

// The text of a document as Markdown: a document's `text`, in its markup.
std::string MarkdownOf(std::string_view text);

}  // namespace uzushio
