#include "filters/markdown_paragraphs.h"

#include <algorithm>
#include <utility>

#include "document/markup.h"
#include "document/structure.h"
#include "markdown/markdown_writer.h"

namespace uzushio {
namespace {

void SetMarkdown(FilterParagraph* paragraph) {
  paragraph->structure = kMarkdownStructure;
  paragraph->shown = true;
}

constexpr MarkdownForm kMergedItems = {
    .headings = false, .lists = true, .tables = false, .code = false, .quotes = false, .keeps_texts = true};

// Whether a paragraph begins an item of a list, and is nothing else.
bool BeginsItem(const FilterParagraph& paragraph) {
  const std::vector<StructureBlock> blocks = BlocksOf(paragraph.structure);
  if (blocks.empty() || blocks.back().later) return false;
  return blocks.back().kind == StructureBlock::Kind::kUnorderedItem ||
         blocks.back().kind == StructureBlock::Kind::kOrderedItem;
}

// Writes a document's paragraphs, of which several may become one.
class ParagraphsToMarkdown {
 public:
  ParagraphsToMarkdown(std::span<const FilterParagraph> paragraphs, const MarkdownForm& form, const KeepText& keep)
      : all_(paragraphs), form_(form), keep_(keep), writer_(form) {}

  MarkdownParagraphs Run() {
    for (size_t i = 0; i < all_.size();) i = Take(i);
    Finish();
    return std::move(result_);
  }

 private:
  // Takes a paragraph, or a run of them; returns the place behind.
  size_t Take(size_t i) {
    const FilterParagraph& paragraph = all_[i];
    if (IsToWrite(paragraph)) {
      Write(paragraph);
      return i + 1;
    }
    Finish();
    writer_.Skip(paragraph.structure);
    if (paragraph.alive() && !paragraph.shown) return TakeByPath(i);
    result_.paragraphs.push_back(paragraph);
    return i + 1;
  }

  bool IsToWrite(const FilterParagraph& paragraph) const {
    if (!paragraph.alive() || !paragraph.shown || paragraph.structure == kMarkdownStructure) return false;
    return !form_.keeps_texts || BeginsItem(paragraph);
  }

  size_t TakeByPath(size_t i) {
    const size_t end = form_.lists ? ListRunEnd(all_, i) : i + 1;
    FilterParagraph written = end - i > 1 ? MergedItems(all_.subspan(i, end - i), keep_) : all_[i];
    const size_t level = form_.headings ? HeadingLevelOf(written.path) : 0;
    if (level > 0) WriteHeading(level, keep_, &written);
    if (level > 0 || end - i > 1) {
      if (!form_.keeps_texts) SetMarkdown(&written);
      result_.changed += end - i;
    }
    result_.paragraphs.push_back(written);
    return end;
  }

  void Write(const FilterParagraph& paragraph) {
    if (writer_.Write(paragraph.structure, paragraph.marked, &piece_)) {
      text_ += piece_;
      group_.near_freq = std::min(group_.near_freq, paragraph.near_freq);
      group_.score = std::max(group_.score, paragraph.score);
    } else {
      Finish();
      std::swap(text_, piece_);
      group_ = paragraph;
    }
    ++members_;
  }

  void Finish() {
    if (members_ == 0) return;
    if (form_.keeps_texts && members_ == 1) {  // nothing was merged
      result_.paragraphs.push_back(group_);
      members_ = 0;
      return;
    }
    const std::string_view before = group_.plain;
    const bool has_marks = std::ranges::any_of(text_, IsMark);
    group_.marked = keep_(std::exchange(text_, {}));
    group_.plain = has_marks ? keep_(StripMarks(group_.marked)) : group_.marked;
    SetMarkdown(&group_);
    result_.changed += members_ > 1 ? members_ : group_.plain == before ? 0 : 1;
    result_.paragraphs.push_back(group_);
    members_ = 0;
  }

  std::span<const FilterParagraph> all_;
  const MarkdownForm& form_;
  const KeepText& keep_;
  MarkdownWriter writer_;
  MarkdownParagraphs result_;
  FilterParagraph group_;  // of paragraphs that are one, the first
  size_t members_ = 0;
  std::string text_;   // of the group
  std::string piece_;  // of the last paragraph
};

}  // namespace

MarkdownParagraphs AsMarkdown(std::span<const FilterParagraph> paragraphs, const MarkdownForm& form,
                              const KeepText& keep) {
  return ParagraphsToMarkdown(paragraphs, form, keep).Run();
}

MarkdownParagraphs WithMergedItems(std::span<const FilterParagraph> paragraphs, const KeepText& keep) {
  return AsMarkdown(paragraphs, kMergedItems, keep);
}

std::string MarkdownOf(std::string_view text) {
  FilterDocument document;
  document.Parse({}, text);
  const MarkdownParagraphs written = AsMarkdown(document.paragraphs(), MarkdownForm(), KeepIn(&document));
  std::string markdown;
  for (const FilterParagraph& paragraph : written.paragraphs) {
    if (!markdown.empty()) markdown += kParagraphSeparator;
    markdown += paragraph.plain;
  }
  return markdown;
}

}  // namespace uzushio
