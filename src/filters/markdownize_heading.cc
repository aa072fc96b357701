#include <algorithm>

#include "document/structure.h"
#include "filters/list.h"
#include "filters/markdown_by_path.h"

namespace uzushio {
namespace {

// 1 to 6; 0 of what is no heading. By the structure of shown text, and by the path of other.
size_t LevelOf(const FilterParagraph& paragraph) {
  if (!paragraph.shown) return HeadingLevelOf(paragraph.path);
  size_t level = 0;
  for (const StructureBlock& block : BlocksOf(paragraph.structure)) {
    if (block.kind == StructureBlock::Kind::kHeading) level = static_cast<size_t>(block.number);
  }
  return level;
}

// The heading of shown text is one line, and Markdown then.
void PutOnOneLine(FilterDocument* document, FilterParagraph* paragraph) {
  for (std::string_view* text : {&paragraph->marked, &paragraph->plain}) {
    std::string line(*text);
    std::ranges::replace(line, '\n', ' ');
    *text = document->Keep(std::move(line));
  }
  paragraph->structure = kMarkdownStructure;
}

class MarkdownizeHeading final : public RewritingFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    size_t headings = 0;
    document.ForEachAlive([&](const FilterParagraph& paragraph) { headings += LevelOf(paragraph) > 0 ? 1 : 0; });
    return static_cast<double>(headings);
  }

  void Change(FilterDocument* document, int /*place*/, FilterScratch* /*scratch*/) const override {
    const KeepText keep = KeepIn(document);
    for (FilterParagraph& paragraph : document->paragraphs()) {
      const size_t level = paragraph.alive() ? LevelOf(paragraph) : 0;
      if (level == 0) continue;
      if (paragraph.shown) PutOnOneLine(document, &paragraph);
      WriteHeading(level, keep, &paragraph);
    }
  }
};

}  // namespace

FilterDeclaration DeclareMarkdownizeHeading() {
  return Declare<MarkdownizeHeading>("MarkdownizeHeading", "rewrites",
                                     "Adds `#` to `######` to headings, for h1 to h6.")
      .Metric("MarkdownizeHeading", "headings")
      .Done();
}

}  // namespace uzushio
