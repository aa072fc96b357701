#include "html/outline.h"

#include <lexbor/dom/dom.h>

#include <string_view>

namespace uzushio {

bool IsLinkedData(const lxb_dom_node_t* element) {
  if (element->local_name != LXB_TAG_SCRIPT) return false;
  const lxb_dom_attr_t* attribute = reinterpret_cast<const lxb_dom_element_t*>(element)->first_attr;
  while (attribute != nullptr && attribute->node.local_name != LXB_DOM_ATTR_TYPE) attribute = attribute->next;
  if (attribute == nullptr || attribute->value == nullptr) return false;
  const std::string_view type(reinterpret_cast<const char*>(attribute->value->data), attribute->value->length);
  return type == "application/ld+json";
}

}  // namespace uzushio
