#include "html/page_metadata.h"

#include <array>
#include <string_view>

#include "base/utf8.h"
#include "html/attributes.h"

namespace uzushio {
namespace {

// The name and the value that a meta element gives; the name is empty where it gives none.
NamedValue ReadMeta(const lxb_dom_node_t* meta) {
  constexpr std::array<ReadName, 5> kAttributes = {"name", "property", "http-equiv", "charset", "content"};
  std::array<std::string_view, kAttributes.size()> values;
  for (lxb_dom_attr_t* attribute = FirstAttribute(meta); attribute != nullptr; attribute = attribute->next) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (HasName(attribute, kAttributes[i])) values[i] = ValueOf(attribute);
    }
  }
  const auto& [name, property, http_equiv, charset, content] = values;
  const std::string_view key = !name.empty() ? name : !property.empty() ? property : http_equiv;
  NamedValue field;
  field.name = Utf8Prefix(key.empty() && !charset.empty() ? "charset" : key, kMaxMetadataBytes);
  field.value = Utf8Prefix(key.empty() ? charset : content, kMaxMetadataBytes);
  return field;
}

void ReadChildren(const lxb_dom_node_t* parent, std::vector<NamedValue>* metadata) {
  for (const lxb_dom_node_t* node = parent->first_child; node != nullptr; node = node->next) {
    if (metadata->size() == kMaxMetadata) return;
    if (node->local_name != LXB_TAG_META || node->type != LXB_DOM_NODE_TYPE_ELEMENT) continue;
    NamedValue field = ReadMeta(node);
    if (!field.name.empty()) metadata->push_back(std::move(field));
  }
}

}  // namespace

void PageMetadata(lxb_html_document_t* page, std::vector<NamedValue>* metadata) {
  // What belongs into the head lies in the body where something else came before.
  if (page->head != nullptr) ReadChildren(lxb_dom_interface_node(page->head), metadata);
  if (page->body != nullptr) ReadChildren(lxb_dom_interface_node(page->body), metadata);
}

}  // namespace uzushio
