#include <deque>

#include "filters/list.h"
#include "filters/markdown_paragraphs.h"

namespace uzushio {
namespace {

class MergeListTag final : public RewritingFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    std::deque<std::string> kept;
    const KeepText keep = [&kept](std::string text) { return std::string_view(kept.emplace_back(std::move(text))); };
    return static_cast<double>(WithMergedItems(document.paragraphs(), keep).changed);
  }

  void Change(FilterDocument* document, int /*place*/, FilterScratch* /*scratch*/) const override {
    document->Replace(WithMergedItems(document->paragraphs(), KeepIn(document)).paragraphs);
  }
};

}  // namespace

FilterDeclaration DeclareMergeListTag() {
  return Declare<MergeListTag>("MergeListTag", "rewrites",
                               "Merges the items of a list to one Markdown paragraph: `- item`; in shown text, `1. "
                               "item` for numbered lists.")
      .Metric("MergeListTag", "merged paragraphs")
      .Done();
}

}  // namespace uzushio
