#include <algorithm>
#include <array>

#include "filters/css_path.h"
#include "filters/list.h"

namespace uzushio {
namespace {

using Names = std::vector<std::string_view>;

// The lists are those of the original's filter of this name.
const Names kTags = {"header", "footer", "aside", "nav", "noscript", "form"};
const Names kTagsWithNames = {"div", "p", "ul", "h1"};
const Names kInNames = {"header", "footer",  "side",       "menu",   "nav",   "banner",
                        "logo",   "pankuzu", "breadcrumb", "widget", "button"};
const Names kWholeNames = {"left-box",       "blog-title-inner",  "blogtitle",       "blog-name",      "head-block1",
                           "head-blog-name", "head-introduction", "leftBox",         "blogTitleInner", "blogName",
                           "headBlock1",     "headBlogName",      "headIntroduction"};

bool Has(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool IsNavigation(std::string_view name) {
  if (Has(kWholeNames, name)) return true;
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return std::ranges::any_of(kInNames,
                             [&lower](std::string_view part) { return lower.find(part) != std::string::npos; });
}

class NoContentDOM final : public ParagraphFilter {
 public:
  void Change(FilterDocument* document, int place, FilterScratch* /*scratch*/) const override {
    std::string_view last;
    bool last_is = false;
    for (FilterParagraph& paragraph : document->paragraphs()) {
      if (!paragraph.alive()) continue;
      if (paragraph.path != last) {  // neighbours often have the same path
        last = paragraph.path;
        last_is = IsNavigationPath(last);
      }
      if (!last_is) continue;
      paragraph.removed_by = place;
      paragraph.metric = 1;
    }
  }
  std::vector<std::string> Reasons() const override { return {"Nav"}; }
  std::string Bound(size_t /*reason*/) const override { return "the path is of navigation"; }

 private:
  static bool IsNavigationPath(std::string_view path) {
    bool names_tell = false;  // of the tag before
    return AnyName(path, [&names_tell](PathName kind, std::string_view name) {
      if (kind != PathName::kTag) return names_tell && IsNavigation(name);
      names_tell = Has(kTagsWithNames, name);
      return Has(kTags, name);
    });
  }
};

}  // namespace

FilterDeclaration DeclareNoContentDOM() {
  return Declare<NoContentDOM>("NoContentDOM", "paragraphs",
                               "Removes paragraphs that are not content according to their tags, ids or classes.")
      .Metric("NoContentDOM", "share of the text in such paragraphs")
      .Done();
}

}  // namespace uzushio
