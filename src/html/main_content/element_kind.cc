#include "html/main_content/element_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "html/attributes.h"
#include "html/main_content/hash.h"

namespace uzushio {
namespace {

// display:none and visibility:hidden, with or without a space.
bool StyleHides(std::string_view style) {
  for (const std::string_view property : {"display", "visibility"}) {
    const size_t at = style.find(property);
    if (at == std::string_view::npos) continue;
    std::string_view rest = style.substr(at + property.size(), 12);
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" :")));
    if (rest.starts_with("none") || rest.starts_with("hidden")) return true;
  }
  return false;
}

uint32_t RoleFlags(std::string_view role) {
  if (role == "navigation" || role == "menu" || role == "menubar") return kNav;
  if (role == "banner") return kHeader;
  if (role == "contentinfo") return kFooter;
  if (role == "complementary") return kAside;
  if (role == "main") return kMain;
  if (role == "article") return kArticle;
  if (role == "dialog" || role == "alertdialog") return kDialog;
  if (role == "search" || role == "form") return kForm;
  if (role == "button") return kButton;
  return 0;
}

constexpr uint32_t FlagsOfTag(lxb_tag_id_t tag) {
  switch (tag) {
    case LXB_TAG_NAV:
      return kNav;
    case LXB_TAG_HEADER:
      return kHeader;
    case LXB_TAG_FOOTER:
      return kFooter;
    case LXB_TAG_ASIDE:
      return kAside;
    case LXB_TAG_MAIN:
      return kMain;
    case LXB_TAG_ARTICLE:
      return kArticle;
    case LXB_TAG_SECTION:
      return kSection;
    case LXB_TAG_FORM:
      return kForm;
    case LXB_TAG_TABLE:
      return kTable;
    case LXB_TAG_UL:
    case LXB_TAG_OL:
      return kList;
    case LXB_TAG_LI:
      return kItem;
    case LXB_TAG_FIGURE:
    case LXB_TAG_FIGCAPTION:
      return kFigure;
    case LXB_TAG_BLOCKQUOTE:
      return kQuote;
    case LXB_TAG_PRE:
    case LXB_TAG_CODE:
      return kCode;
    case LXB_TAG_H1:
    case LXB_TAG_H2:
    case LXB_TAG_H3:
    case LXB_TAG_H4:
    case LXB_TAG_H5:
    case LXB_TAG_H6:
      return kHeading;
    case LXB_TAG_P:
      return kParagraph;
    case LXB_TAG_A:
      return kLinkAround;
    case LXB_TAG_BUTTON:
    case LXB_TAG_LABEL:
      return kButton;
    case LXB_TAG_DIALOG:
      return kDialog;
    case LXB_TAG_NOSCRIPT:
      return kNoscript;
    case LXB_TAG_DETAILS:
      return kDetails;
    case LXB_TAG_DL:
    case LXB_TAG_DT:
    case LXB_TAG_DD:
      return kDefinition;
    case LXB_TAG_SELECT:
    case LXB_TAG_OPTION:
      return kOption;
    default:
      return 0;
  }
}

constexpr int8_t SortOfTag(lxb_tag_id_t tag) {
  const uint32_t flags = FlagsOfTag(tag);
  if (flags & kHeading) return 1;
  if (flags & kParagraph) return 2;
  if (flags & (kItem | kList)) return 3;
  if (flags & kDefinition) return 4;
  if (flags & kTable) return 5;
  if (flags & kQuote) return 6;
  if (flags & kCode) return 7;
  if (flags & kLinkAround) return 8;
  if (flags & (kButton | kOption)) return 9;
  switch (tag) {
    case LXB_TAG_TD:
    case LXB_TAG_TH:
    case LXB_TAG_TR:
    case LXB_TAG_TBODY:
      return 5;
    case LXB_TAG_DIV:
      return 10;
    case LXB_TAG_SPAN:
      return 11;
    case LXB_TAG_STRONG:
    case LXB_TAG_B:
    case LXB_TAG_EM:
    case LXB_TAG_I:
      return 12;
    case LXB_TAG_FIGCAPTION:
      return 13;
    default:
      return 0;
  }
}

struct TagFacts {
  uint32_t flags;
  int8_t sort;
};

// Of all tags that lexbor has numbers for.
constexpr std::array<TagFacts, LXB_TAG__LAST_ENTRY> kTagFacts = [] {
  std::array<TagFacts, LXB_TAG__LAST_ENTRY> tags{};
  for (lxb_tag_id_t tag = 0; tag < tags.size(); ++tag) tags[tag] = {FlagsOfTag(tag), SortOfTag(tag)};
  return tags;
}();

}  // namespace

uint32_t TagFlags(const lxb_dom_node_t* node) {
  return node->local_name < kTagFacts.size() ? kTagFacts[node->local_name].flags : uint32_t{kCustom};
}

uint32_t AttributeFlags(const lxb_dom_node_t* node) {
  uint32_t flags = 0;
  for (lxb_dom_attr_t* attribute = FirstAttribute(node); attribute != nullptr; attribute = attribute->next) {
    if (attribute->node.local_name == LXB_DOM_ATTR_STYLE) {
      if (StyleHides(ValueOf(attribute).substr(0, kMostAttributeBytes))) flags |= kHidden;
      continue;
    }
    if (!IsRare(attribute)) continue;
    if (HasName(attribute, "hidden")) {
      flags |= kHidden;
    } else if (HasName(attribute, "aria-hidden")) {
      if (ValueOf(attribute) == "true") flags |= kHidden;
    } else if (HasName(attribute, "role")) {
      flags |= RoleFlags(ValueOf(attribute));
    }
  }
  return flags;
}

int LevelOfHeading(const lxb_dom_node_t* node) {
  static_assert(LXB_TAG_H6 - LXB_TAG_H1 == 5);
  const auto tag = node->local_name;
  return tag >= LXB_TAG_H1 && tag <= LXB_TAG_H6 ? static_cast<int>(tag - LXB_TAG_H1) + 1 : 0;
}

int SortOfElement(const lxb_dom_node_t* node) {
  return node->local_name < kTagFacts.size() ? kTagFacts[node->local_name].sort : 0;
}

}  // namespace uzushio
