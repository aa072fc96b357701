#include "html/main_content/page_kind.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "document/markup.h"
#include "html/attributes.h"
#include "html/main_content/ascii_classes.h"
#include "html/main_content/hash.h"

namespace uzushio {
namespace {

// By the C library's search, which does not stop at each first byte of a Japanese character as string_view's does.
bool Contains(std::string_view text, std::string_view part) {
  return memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

// What is looked at of a title or description.
constexpr size_t kMostDescriptionBytes = 1024;

int OpenGraphType(std::string_view type) {
  if (type == "website") return 1;
  if (type == "article") return 2;
  return type.starts_with("product") || type == "og:product" ? 3 : 4;
}

void ReadMeta(const lxb_dom_node_t* node, PageKind* kind) {
  std::string_view property;
  std::string_view content;
  for (lxb_dom_attr_t* attribute = FirstAttribute(node); attribute != nullptr; attribute = attribute->next) {
    if (HasName(attribute, "property") || HasName(attribute, "name")) property = ValueOf(attribute);
    if (HasName(attribute, "content")) content = ValueOf(attribute);
  }
  if (property == "description") kind->descriptions[0] = content.substr(0, kMostDescriptionBytes);
  if (property == "og:description") kind->descriptions[1] = content.substr(0, kMostDescriptionBytes);
  if (property == "og:type") kind->og = OpenGraphType(content);
}

std::string_view TextIn(const lxb_dom_node_t* element) {
  lxb_dom_node_t* text = element->first_child;
  if (text == nullptr || text->type != LXB_DOM_NODE_TYPE_TEXT) return {};
  return View(&lxb_dom_interface_character_data(text)->data);
}

void ReadHead(const lxb_dom_node_t* head, PageKind* kind) {
  for (const lxb_dom_node_t* node = head->first_child; node != nullptr; node = node->next) {
    if (node->local_name == LXB_TAG_META) {
      ReadMeta(node, kind);
    } else if (node->local_name == LXB_TAG_TITLE) {
      kind->title = TextIn(node).substr(0, kMostDescriptionBytes);
    } else if (node->local_name == LXB_TAG_SCRIPT && IsLinkedData(node)) {
      kind->linked_data.Read(TextIn(node));
    }
  }
}

void ReadUrl(std::string_view url, PageKind* kind) {
  url = url.substr(0, kMostAttributeBytes);
  const size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url.remove_prefix(std::min(url.size(), url.find('/')));
  const size_t query = url.find('?');
  kind->url_query = query != std::string_view::npos;
  url = url.substr(0, query);
  for (size_t i = 0; i < url.size(); ++i) {
    kind->url_depth += url[i] == '/' && i + 1 < url.size();
    kind->url_digits += IsDigit(url[i]);
    kind->url_dashes += url[i] == '-' || url[i] == '_';
  }
  kind->url_slash = url.ends_with('/');
}

constexpr size_t kLeastTitleBytes = 8;
constexpr size_t kOpeningBytes = 30;

}  // namespace

void ReadKind(const PageForContent& page, PageKind* kind) {
  LinkedData linked_data = std::move(kind->linked_data);
  *kind = {};
  kind->linked_data = std::move(linked_data);  // for its memory
  kind->linked_data.Clear();
  if (page.tree->head != nullptr) ReadHead(lxb_dom_interface_node(page.tree->head), kind);
  for (const lxb_dom_node_t* script : page.outline->linked_data) kind->linked_data.Read(TextIn(script));
  kind->linked_data.Finish();
  if (kind->descriptions[1] == kind->descriptions[0]) kind->descriptions[1] = {};  // is looked for once
  kind->title_grams.Add(kind->title);
  for (const std::string_view description : kind->descriptions) kind->description_grams.Add(description);
  ReadUrl(page.url, kind);
}

bool InTitle(std::string_view text, const PageKind& kind) {
  if (text.starts_with(kLinkStart)) text.remove_prefix(1);
  if (text.ends_with(kLinkEnd)) text.remove_suffix(1);
  return text.size() >= kLeastTitleBytes && text.size() <= kind.title.size() && kind.title_grams.MayContain(text) &&
         Contains(kind.title, text);
}

bool InDescription(std::string_view text, const PageKind& kind) {
  if (text.size() < kOpeningBytes) return false;
  const std::string_view opening = text.substr(0, kOpeningBytes);
  const bool may_be_inside = kind.description_grams.MayContain(opening);
  for (const std::string_view description : kind.descriptions) {
    if (description.size() < kOpeningBytes) continue;
    if (may_be_inside && Contains(description, opening)) return true;
    if (Contains(text.substr(0, kMostDescriptionBytes), description.substr(0, kOpeningBytes))) return true;
  }
  return false;
}

}  // namespace uzushio
