#include "document/markup.h"
#include "filters/list.h"

namespace uzushio {
namespace {

class LinkCharRatio final : public BoundedFilter {
 public:
  double Measure(const FilterDocument& document, FilterScratch* /*scratch*/) const override {
    int64_t inside = 0;
    int64_t all = 0;
    document.ForEachAlive([&](const FilterParagraph& paragraph) {
      std::string_view rest = paragraph.marked;
      bool in_link = false;
      while (true) {
        // Marks are set anew at each start, as links do not nest.
        const size_t mark = rest.find_first_of("\x02\x03");
        const int64_t points = CodePoints(rest.substr(0, mark));
        all += points;
        if (in_link) inside += points;
        if (mark == std::string_view::npos) break;
        in_link = rest[mark] == kLinkStart;
        rest.remove_prefix(mark + 1);
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
                                "Removes documents of too many links, such as link farms.")
      .Metric("LinkCharRatio", "code points inside links / all")
      .Bounds(0.0, 1.0)
      .Done();
}

}  // namespace uzushio
