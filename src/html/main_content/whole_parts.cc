#include "html/main_content/whole_parts.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "html/path_tags.h"

namespace uzushio {
namespace {

std::string_view LeafOf(std::string_view structure) { return structure.substr(structure.rfind('>') + 1); }

bool IsCodeBlock(std::string_view structure) {
  const std::string_view leaf = LeafOf(structure);
  return leaf == "code" || leaf.starts_with("code.");
}

// 1 to 6 of a heading, else 0.
size_t LevelOf(const PageForContent& page, size_t paragraph) {
  if (!page.IsShown(paragraph)) return static_cast<size_t>(HeadingLevel(page.PathOf(paragraph)));
  const std::string_view leaf = LeafOf(page.StructureOf(paragraph));
  return leaf.size() == 2 && leaf[0] == 'h' ? static_cast<size_t>(leaf[1] - '0') : 0;
}

// Terms and their descriptions, from the last paragraph to the first. Lists may stand in descriptions.
class Terms {
 public:
  void Before(std::string_view structure, ContentMark* mark) {
    size_t depth = 0;
    const bool has_any = structure.find('d') != std::string_view::npos;
    for (size_t begin = 0; has_any && begin < structure.size();) {
      const size_t end = std::min(structure.find('>', begin), structure.size());
      const std::string_view block = structure.substr(begin, end - begin);
      const std::string_view list = structure.substr(0, begin);
      if (block == "dt") {
        Term(list, depth++, mark);
      } else if (block == "dd" || block == "dd+") {
        Description(list, depth++, mark->content);
      }
      begin = end + 1;
    }
    open_.resize(depth);
  }

 private:
  struct Open {
    std::string_view list;  // what a structure has before the term
    bool is_term = false;   // behind is a term, not its description
    bool has_description = false;
    bool is_kept = false;  // some of that description
  };

  // The list of this depth, which goes on behind, or begins to.
  Open* ListAt(size_t depth, std::string_view list) {
    if (depth < open_.size() && open_[depth].list == list) return &open_[depth];
    open_.resize(depth);
    return &open_.emplace_back(Open{.list = list});
  }

  void Description(std::string_view list, size_t depth, bool is_content) {
    Open* const at = ListAt(depth, list);
    const bool goes_on = at->has_description && !at->is_term;
    *at = {.list = list, .has_description = true, .is_kept = is_content || (goes_on && at->is_kept)};
  }

  void Term(std::string_view list, size_t depth, ContentMark* mark) {
    Open* const at = ListAt(depth, list);
    at->is_term = true;
    if (at->has_description) at->is_kept ? MakeContent(mark) : MakeRest(mark);
  }

  std::vector<Open> open_;
};

// Keeps the code between a heading and the next one. Whether there is any.
bool KeepCode(const PageForContent& page, size_t heading, std::vector<ContentMark>* marks) {
  bool is_kept = false;
  for (size_t i = heading + 1; i < marks->size() && LevelOf(page, i) == 0; ++i) {
    if (!IsCodeBlock(page.StructureOf(i))) continue;
    MakeContent(&(*marks)[i]);
    is_kept = true;
  }
  return is_kept;
}

// Headings that are content, and nothing below them is. Code is kept with its heading.
std::vector<size_t> EmptyHeadings(const PageForContent& page, std::vector<ContentMark>* marks) {
  // A bit for each level, of what stands behind: up to the next heading of that level or a higher one, is there
  // something, and is some of it content?
  constexpr uint32_t kLevels = 0b1111110;
  uint32_t are_there = 0;
  uint32_t are_kept = 0;
  std::vector<size_t> empty;
  for (size_t i = marks->size(); i-- > 0;) {
    const size_t level = LevelOf(page, i);
    bool is_kept = (*marks)[i].content;
    const bool is_empty = (are_there & ~are_kept) >> level & 1;
    if (level > 0 && is_kept && is_empty && !KeepCode(page, i, marks)) {
      empty.push_back(i);
      is_kept = false;
    }
    const uint32_t around = level == 0 ? kLevels : kLevels & ((1U << level) - 1);  // levels that the paragraph is below
    are_there = around;
    are_kept = is_kept ? around : are_kept & around;
  }
  return empty;
}

// Headings between content above and right below them, each of a lower level than the one before: others are a list, as
// of related articles. What is hardly content stays out.
void KeepHeadingsInside(const PageForContent& page, std::vector<ContentMark>* marks) {
  constexpr float kLeastOfHeading = 0.1F;
  bool is_inside = false;  // content stands above
  for (size_t first = 0; first < marks->size();) {
    size_t below = first;
    size_t last = 0;
    bool is_nested = true;
    for (size_t level = 0; below < marks->size() && (level = LevelOf(page, below)) > 0; ++below) {
      is_nested &= level > last && (*marks)[below].score >= kLeastOfHeading;
      last = level;
    }
    if (below == marks->size()) return;
    const bool is_content = (*marks)[below].content;
    if (is_inside && is_content && is_nested) {
      for (; first < below; ++first) MakeContent(&(*marks)[first]);
    }
    is_inside = is_content;
    first = below + 1;
  }
}

}  // namespace

void KeepPartsWhole(const PageForContent& page, std::vector<ContentMark>* marks) {
  Terms terms;
  for (size_t i = marks->size(); i-- > 0;) terms.Before(page.StructureOf(i), &(*marks)[i]);
  KeepHeadingsInside(page, marks);
  const std::vector<size_t> empty = EmptyHeadings(page, marks);
  // Pages that are lists of headings are left alone.
  constexpr size_t kMostOfPage = 10;  // the share of what is kept that goes is at most one in so many
  size_t dropped = 0;
  size_t kept = 0;
  for (const size_t i : empty) dropped += page.TextOf(i).size();
  for (size_t i = 0; i < marks->size(); ++i) kept += (*marks)[i].content ? page.TextOf(i).size() : 0;
  if (dropped * kMostOfPage > kept) return;
  for (const size_t i : empty) MakeRest(&(*marks)[i]);
}

}  // namespace uzushio
