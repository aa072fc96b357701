#include "filters/css_path.h"
#include "filters/list.h"

namespace uzushio {
namespace {

// 1 to 6 by the innermost heading around; 0 where there is none.
size_t HeadingLevel(std::string_view path) {
  const std::vector<PathSegment> segments = ParsePath(path);
  for (size_t i = segments.size(); i-- > 0;) {
    const std::string& tag = segments[i].tag;
    if (tag.size() == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6') return static_cast<size_t>(tag[1] - '0');
  }
  return 0;
}

class MarkdownizeHeading final : public RewritingFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    size_t headings = 0;
    document.ForEachAlive(
        [&](const FilterParagraph& paragraph) { headings += HeadingLevel(paragraph.path) > 0 ? 1 : 0; });
    return static_cast<double>(headings);
  }

  void Change(FilterDocument* document, int /*place*/, FilterScratch* /*scratch*/) const override {
    for (FilterParagraph& paragraph : document->paragraphs()) {
      const size_t level = paragraph.alive() ? HeadingLevel(paragraph.path) : 0;
      if (level == 0) continue;
      const std::string mark = std::string(level, '#') + " ";
      paragraph.marked = document->Keep(mark + std::string(paragraph.marked));
      paragraph.plain = document->Keep(mark + std::string(paragraph.plain));
    }
  }
};

}  // namespace

FilterDeclaration DeclareMarkdownizeHeading() {
  return Declare<MarkdownizeHeading>("MarkdownizeHeading", "rewrites",
                                     "Puts `#` to `######` before headings, by h1 to h6.")
      .Metric("MarkdownizeHeading", "headings")
      .Done();
}

}  // namespace uzushio
