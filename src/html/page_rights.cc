#include "html/page_rights.h"

#include <lexbor/dom/interfaces/character_data.h>

#include <algorithm>
#include <string>

#include "document/robots_rules.h"
#include "html/attributes.h"
#include "html/license_names.h"
#include "html/linked_licenses.h"
#include "html/outline.h"

namespace uzushio {
namespace {

struct NamedContent {
  std::string_view name;
  std::string_view property;
  std::string_view content;
};

NamedContent ReadMetaElement(const lxb_dom_node_t* meta) {
  constexpr ReadName kName = "name";
  constexpr ReadName kProperty = "property";
  NamedContent read;
  for (lxb_dom_attr_t* attribute = FirstAttribute(meta); attribute != nullptr; attribute = attribute->next) {
    if (attribute->node.local_name == LXB_DOM_ATTR_CONTENT) {
      read.content = ValueOf(attribute);
    } else if (HasName(attribute, kName)) {
      read.name = ValueOf(attribute);
    } else if (HasName(attribute, kProperty)) {
      read.property = ValueOf(attribute);
    }
  }
  return read;
}

void AddMetaRobots(const lxb_dom_node_t* meta, TextLines* rules) {
  const NamedContent read = ReadMetaElement(meta);
  const std::string_view name = TrimMarkup(read.name);
  if (IsWord(name, "robots")) {
    AddRobotsRules(read.content, RobotsSource::kMeta, {}, rules);
  } else if (IsRobotName(name)) {
    AddRobotsRules(read.content, RobotsSource::kMeta, name, rules);
  } else {
    AddReservation(name, read.content, rules);
  }
}

void AddRobotsOfChildren(const lxb_dom_node_t* parent, TextLines* rules) {
  for (const lxb_dom_node_t* node = parent->first_child; node != nullptr; node = node->next) {
    if (rules->full()) return;
    if (node->local_name == LXB_TAG_META && node->type == LXB_DOM_NODE_TYPE_ELEMENT) AddMetaRobots(node, rules);
  }
}

// The URL in a meta element's content, which may have words around.
std::string_view UrlIn(std::string_view content) {
  const size_t begin = std::min(content.find("http://"), content.find("https://"));
  if (begin == std::string_view::npos) return TrimMarkup(content);
  content.remove_prefix(begin);
  return content.substr(0, content.find_first_of(" \t\r\n\f\"'<>()|;"));
}

// Reads elements for licences, in the order of the page.
class LicenseReader {
 public:
  explicit LicenseReader(PageLicenses* licenses) : licenses_(*licenses) {}

  void Enter(const lxb_dom_node_t* node) {
    if (node->type != LXB_DOM_NODE_TYPE_ELEMENT) return;
    if (footer_ == nullptr && IsFooter(node)) footer_ = node;
    switch (node->local_name) {
      case LXB_TAG_A:
      case LXB_TAG_AREA:
      case LXB_TAG_LINK:
        ReadLink(node);
        break;
      case LXB_TAG_META:
        ReadMeta(node);
        break;
      case LXB_TAG_SCRIPT:
        if (IsLinkedData(node)) ReadScript(node);
        break;
      default:
        break;
    }
  }
  void Leave(const lxb_dom_node_t* node) {
    if (footer_ == node) footer_ = nullptr;
  }

 private:
  static bool IsFooter(const lxb_dom_node_t* element) {
    constexpr size_t kMostLooked = 1024;
    if (element->local_name == LXB_TAG_FOOTER) return true;
    if (element->local_name == LXB_TAG_BODY || element->local_name == LXB_TAG_HTML) return false;  // `has-footer`
    const auto* const of = reinterpret_cast<const lxb_dom_element_t*>(element);
    const auto is_named = [](const lxb_dom_attr_t* attribute) {
      return FindIgnoreCase(ValueOf(attribute).substr(0, kMostLooked), "footer") != std::string_view::npos;
    };
    return is_named(of->attr_class) || is_named(of->attr_id);
  }

  void ReadLink(const lxb_dom_node_t* node) {
    std::string_view rel;
    std::string_view href;
    for (lxb_dom_attr_t* attribute = FirstAttribute(node); attribute != nullptr; attribute = attribute->next) {
      if (attribute->node.local_name == LXB_DOM_ATTR_REL) rel = ValueOf(attribute);
      if (attribute->node.local_name == LXB_DOM_ATTR_HREF) href = TrimMarkup(ValueOf(attribute));
    }
    if (href.empty() || href.starts_with('#')) return;
    const LicenseFamily family = FamilyOfUrl(href);
    const bool is_known = family != LicenseFamily::kNone;
    if (IsLicenseRel(rel) || (is_known && node->local_name == LXB_TAG_LINK)) {
      licenses_.Add(LicensePlace::kRel, href);
    } else if (is_known && footer_ != nullptr) {
      licenses_.Add(LicensePlace::kFooter, href);
    } else if (is_known && family != LicenseFamily::kOther) {
      licenses_.Add(LicensePlace::kLink, href);
    }
  }

  void ReadMeta(const lxb_dom_node_t* node) {
    const NamedContent read = ReadMetaElement(node);
    const LicenseMeta by_name = KindOfMeta(read.name);
    const LicenseMeta kind = by_name == LicenseMeta::kNone ? KindOfMeta(read.property) : by_name;
    if (kind == LicenseMeta::kNone) return;
    const std::string_view url = UrlIn(read.content);
    const bool is_license = kind == LicenseMeta::kLicense && url.starts_with("http");
    if (is_license || FamilyOfUrl(url) != LicenseFamily::kNone) licenses_.Add(LicensePlace::kMeta, url);
  }

  void ReadScript(const lxb_dom_node_t* script) {
    for (const lxb_dom_node_t* child = script->first_child; child != nullptr; child = child->next) {
      if (child->type != LXB_DOM_NODE_TYPE_TEXT) continue;
      const std::string_view json = View(&lxb_dom_interface_character_data(child)->data);
      if (json.size() > linked_data_left_) return;
      linked_data_left_ -= json.size();
      if (MayNameLicense(json)) AddLinkedLicenses(json, &licenses_);
    }
  }

  PageLicenses& licenses_;
  const lxb_dom_node_t* footer_ = nullptr;  // the outermost around the node
  size_t linked_data_left_ = kMaxLinkedData;
};

}  // namespace

void AddPageRobots(lxb_html_document_t* page, TextLines* rules) {
  // What belongs into the head lies in the body where something else came before.
  if (page->head != nullptr) AddRobotsOfChildren(lxb_dom_interface_node(page->head), rules);
  if (page->body != nullptr) AddRobotsOfChildren(lxb_dom_interface_node(page->body), rules);
}

void AddPageLicenses(lxb_html_document_t* page, PageLicenses* licenses) {
  const lxb_dom_node_t* const root = lxb_dom_interface_node(lxb_dom_document_element(&page->dom_document));
  LicenseReader reader(licenses);
  for (const lxb_dom_node_t* node = root; node != nullptr;) {
    reader.Enter(node);
    if (node->first_child != nullptr) {
      node = node->first_child;
      continue;
    }
    while (node != root && node->next == nullptr) {
      reader.Leave(node);
      node = node->parent;
    }
    if (node == root) return;
    reader.Leave(node);
    node = node->next;
  }
}

}  // namespace uzushio
