#include "html/outline.h"

#include <string_view>

#include "html/attributes.h"

namespace uzushio {

bool IsLinkedData(const lxb_dom_node_t* element) {
  if (element->local_name != LXB_TAG_SCRIPT) return false;
  const lxb_dom_attr_t* attribute = FirstAttribute(element);
  while (attribute != nullptr && attribute->node.local_name != LXB_DOM_ATTR_TYPE) attribute = attribute->next;
  const std::string_view type = ValueOf(attribute);
  return type.substr(0, type.find(';')) == "application/ld+json";
}

}  // namespace uzushio
