#include "filters/css_path.h"
#include "filters/list.h"

namespace uzushio {
namespace {

// 1 to 6 by the innermost heading around; 0 where there is none.
size_t HeadingLevel(std::string_view path) {
  size_t level = 0;
  AnyName(path, [&level](PathName kind, std::string_view name) {
    const bool is_heading =
        kind == PathName::kTag && name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
    if (is_heading) level = static_cast<size_t>(name[1] - '0');
    return false;
  });
  return level;
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
