#include "html/outline.h"

#include <string_view>

#include "html/attributes.h"

namespace uzushio {

bool IsLinkedData(const lxb_dom_node_t* element) {
  if (element->local_name != LXB_TAG_SCRIPT) return false;
  const std::string_view type = AttributeOf(element, "type").value_or("");
  return type.substr(0, type.find(';')) == "application/ld+json";
}

}  // namespace uzushio
