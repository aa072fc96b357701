#include "document/markup.h"
#include "document/plain_points.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class LinkCharRatio final : public BoundedFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    int64_t inside = 0;
    int64_t all = 0;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      const std::string_view text = paragraph.marked;
      all += PlainPoints(text);
      // A link ends at the next mark of either kind, as links do not nest.
      size_t start = text.find(kLinkStart);
      while (start != std::string_view::npos) {
        size_t end = start + 1;
        while (end < text.size() && text[end] != kLinkStart && text[end] != kLinkEnd) ++end;
        inside += PlainPoints(text.substr(start, end - start));
        start = text.find(kLinkStart, end);
      }
    });
    return Ratio(static_cast<double>(inside), static_cast<double>(all));
  }

 protected:
  std::string ReasonName() const override { return "LinkCharRatio"; }
};

}  // namespace

FilterDeclaration DeclareLinkCharRatio() {
  return Declare<LinkCharRatio>("LinkCharRatio", "documents",
                                "Removes documents with too many links, such as link farms.")
      .Metric("LinkCharRatio", "code points inside links / all")
      .Bounds(0.0, 1.0)
      .Done();
}

}  // namespace uzushio
