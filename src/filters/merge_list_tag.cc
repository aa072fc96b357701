#include <algorithm>

#include "filters/css_path.h"
#include "filters/list.h"

namespace uzushio {
namespace {

bool IsListItem(std::string_view path) {
  return AnyName(path, [](PathName kind, std::string_view name) {
    return kind == PathName::kTag && (name == "li" || name == "option");
  });
}

// The end of the run of list items that begins at `first`: neighbours of one path, all alive.
size_t RunEnd(std::span<const FilterParagraph> paragraphs, size_t first) {
  size_t end = first + 1;
  if (!paragraphs[first].alive()) return end;
  while (end < paragraphs.size() && paragraphs[end].alive() && paragraphs[end].path == paragraphs[first].path) ++end;
  return end - first > 1 && IsListItem(paragraphs[first].path) ? end : first + 1;
}

class MergeListTag final : public RewritingFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    size_t merged = 0;
    for (size_t i = 0, end = 0; i < document.paragraphs().size(); i = end) {
      end = RunEnd(document.paragraphs(), i);
      if (end - i > 1) merged += end - i;
    }
    return static_cast<double>(merged);
  }

  void Change(FilterDocument* document, int /*place*/, FilterScratch* /*scratch*/) const override {
    const std::span<const FilterParagraph> all = document->paragraphs();
    std::vector<FilterParagraph> paragraphs;
    for (size_t i = 0, end = 0; i < all.size(); i = end) {
      end = RunEnd(all, i);
      paragraphs.push_back(all[i]);
      if (end - i > 1) Merge(all.subspan(i, end - i), &paragraphs.back(), document);
    }
    document->Replace(std::move(paragraphs));
  }

 private:
  static void Merge(std::span<const FilterParagraph> items, FilterParagraph* merged, FilterDocument* document) {
    std::string marked;
    std::string plain;
    for (const FilterParagraph& item : items) {
      (marked += marked.empty() ? "- " : "\n- ") += item.marked;
      (plain += plain.empty() ? "- " : "\n- ") += item.plain;
      merged->near_freq = std::min(merged->near_freq, item.near_freq);
      merged->score = std::max(merged->score, item.score);
    }
    merged->marked = document->Keep(std::move(marked));
    merged->plain = document->Keep(std::move(plain));
  }
};

}  // namespace

FilterDeclaration DeclareMergeListTag() {
  return Declare<MergeListTag>("MergeListTag", "rewrites",
                               "Makes the items of a list one paragraph in Markdown: `- item`.")
      .Metric("MergeListTag", "paragraphs that are merged")
      .Done();
}

}  // namespace uzushio
