#include <deque>

#include "filters/list.h"
#include "filters/markdown_paragraphs.h"

namespace uzushio {
namespace {

class Markdown final : public RewritingFilter, public MarkdownForm {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    if (!any()) return 0;
    std::deque<std::string> kept;
    const KeepText keep = [&kept](std::string text) { return std::string_view(kept.emplace_back(std::move(text))); };
    return static_cast<double>(AsMarkdown(document.paragraphs(), *this, keep).changed);
  }

  void Change(FilterDocument* document, int /*place*/, FilterScratch* /*scratch*/) const override {
    if (!any()) return;
    document->Replace(AsMarkdown(document->paragraphs(), *this, KeepIn(document)).paragraphs);
  }
};

}  // namespace

FilterDeclaration DeclareMarkdown() {
  return Declare<Markdown>(
             "Markdown", "rewrites",
             "Writes documents as Markdown (CommonMark with GFM tables). Original text, which has no structure, is "
             "written as by MergeListTag and MarkdownizeHeading. With all parameters off, nothing changes.")
      .Metric("Markdown", "rewritten or merged paragraphs")
      .Flag("headings", &Markdown::headings, "headings: `#` to `######`")
      .Flag("lists", &Markdown::lists, "nested items `- ` and `1. `; descriptions as items after their terms")
      .Flag("tables", &Markdown::tables, "data tables")
      .Flag("code", &Markdown::code, "fenced code with its language, and inline code in backticks")
      .Flag("quotes", &Markdown::quotes, "quotes: `> ` before each line")
      .Flag("emphasis", &Markdown::emphasis, "`**` and `*` around strong and emphasized text")
      .Done();
}

}  // namespace uzushio
