#include "html/main_content/content_text.h"

#include <algorithm>
#include <cmath>

#include "document/markup.h"
#include "html/path_tags.h"
#include "html/title_text.h"

namespace uzushio {
namespace {

ParagraphView ParagraphAt(const PageForContent& page, size_t i) {
  ParagraphView view{page.PathOf(i), page.TextOf(i)};
  view.shown = page.IsShown(i);
  view.structure = page.StructureOf(i);
  return view;
}

// Whether the title has to be put before the content.
bool LacksTitle(const PageForContent& page, const std::vector<ContentMark>& marks, std::string_view title) {
  constexpr int kMostTitles = 8;  // more of a page's h1 are not looked at
  int titles = 0;
  bool has_heading = false;
  bool has_text = false;
  for (size_t i = 0; i < marks.size() && titles < kMostTitles; ++i) {
    if (!marks[i].content) continue;
    const std::string_view path = page.PathOf(i);
    if (has_heading && has_text && path.find("h1") == std::string_view::npos) continue;
    const ParagraphView paragraph = ParagraphAt(page, i);
    const int level = HeadingLevel(path);
    const bool is_heading = level > 0;
    bool& seen = is_heading ? has_heading : has_text;
    if (seen && level != 1) continue;
    titles += level == 1 ? 1 : 0;
    seen = true;
    if (is_heading ? HeadingRepeatsTitle(title, paragraph.text) : ParagraphRepeatsTitle(title, paragraph.text)) {
      return false;
    }
  }
  return has_heading || has_text;
}

}  // namespace

uint8_t ScoreInHundredths(const ContentMark& mark) {
  constexpr int kLeastOfContent = 50;
  const int hundredths = static_cast<int>(std::lround(std::clamp(mark.score, 0.0F, 1.0F) * 100));
  const int least = mark.content ? kLeastOfContent : 0;
  const int most = mark.content ? kMaxScore : kLeastOfContent - 1;
  return static_cast<uint8_t>(std::clamp(hundredths, least, most));
}

int64_t WriteContent(const PageForContent& page, const std::vector<ContentMark>& marks, std::string_view title,
                     ContentForm form, std::string* out) {
  out->clear();
  out->reserve(page.text.size());
  int64_t paragraphs = 0;
  const bool all = form == ContentForm::kScores;
  const auto append = [&](ParagraphView paragraph, const ContentMark& mark) {
    if (all) paragraph.score = ScoreInHundredths(mark);
    AppendParagraph(paragraph, out);
    ++paragraphs;
  };
  if (!title.empty() && LacksTitle(page, marks, title)) {
    ParagraphView heading{kTitlePath, title};
    heading.shown = !marks.empty() && page.IsShown(0);
    if (heading.shown) heading.structure = "h1";
    append(heading, {1, true});
  }
  for (size_t i = 0; i < marks.size(); ++i) {
    if (all || marks[i].content) append(ParagraphAt(page, i), marks[i]);
  }
  return paragraphs;
}

}  // namespace uzushio
