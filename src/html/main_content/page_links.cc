#include "html/main_content/page_links.h"

#include <algorithm>

#include "html/attributes.h"
#include "html/main_content/hash.h"

namespace uzushio {

LinkTarget VisitLink(const lxb_dom_node_t* link, const PageAddress& page, TokenVisitor* visitor) {
  LinkTarget target = LinkTarget::kNone;
  for (lxb_dom_attr_t* attribute = FirstAttribute(link); attribute != nullptr; attribute = attribute->next) {
    if (attribute->node.local_name == LXB_DOM_ATTR_HREF) {
      target = VisitAddress(ValueOf(attribute), page, visitor);
    } else if (attribute->node.local_name == LXB_DOM_ATTR_REL) {
      VisitNames(ValueOf(attribute), HashText("link rel "), visitor);
    }
  }
  return target;
}

// Links stand in the order of their ends, which is that of their paragraphs.
void PageLinks::Measure(const PageOutline& outline, std::string_view url, const TokenScores& tokens) {
  const PageAddress page(url);
  const size_t n = outline.paragraphs.size();
  before_.assign(n + 1, {});
  extremes_.assign(n, {});
  for (const PageOutline::Link& link : outline.links) {
    if (link.paragraph >= n) continue;  // of a table's row that is not written
    TokenRange scores(tokens);
    const LinkTarget target = VisitLink(link.node, page, &scores);
    LinkSums& sums = before_[link.paragraph + 1];  // of the paragraph, so far
    ++sums.links;
    sums.inner += target == LinkTarget::kPage ? 1 : 0;
    sums.outer += target == LinkTarget::kOther ? 1 : 0;
    if (!scores.any()) continue;
    sums.score += scores.least + scores.most;
    Extremes& extremes = extremes_[link.paragraph];
    extremes.least = std::min(extremes.least, scores.least);
    extremes.most = std::max(extremes.most, scores.most);
  }
  for (size_t i = 1; i <= n; ++i) {
    const LinkSums& last = before_[i - 1];
    LinkSums& sums = before_[i];
    sums = {sums.links + last.links, sums.inner + last.inner, sums.outer + last.outer, sums.score + last.score};
  }
}

LinkSums PageLinks::Between(size_t first, size_t end) const {
  const LinkSums& a = before_[first];
  const LinkSums& b = before_[end];
  return {b.links - a.links, b.inner - a.inner, b.outer - a.outer, b.score - a.score};
}

}  // namespace uzushio
